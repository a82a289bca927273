-- Adds to a claim who asked for the passport, and when its end was announced.
-- Rewrites: claim

-- asked_from is the address of a caller without an account, until the passport is claimed. A claim that nobody uses
-- is deleted some days after warned_at.
ALTER TABLE claim ADD COLUMN asked_from TEXT;
ALTER TABLE claim ADD COLUMN warned_at BIGINT;
CREATE INDEX claim_unclaimed ON claim (created_at, id) WHERE used_at IS NULL AND personal = 1;
