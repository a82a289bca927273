-- Charges that may be given back until they expire, by the decision that took them. charges holds
-- key (16 bytes), amount and expiry (8 each) of one after the other; settlement is null until the
-- reservation is committed or released.
CREATE TABLE reservation (
  record_id BYTEA PRIMARY KEY,
  org TEXT NOT NULL,
  agent TEXT NOT NULL,
  policy TEXT NOT NULL,
  charges BYTEA NOT NULL,
  claim_key BYTEA,
  expires_at BIGINT NOT NULL,
  settlement TEXT,
  settled_at BIGINT
);
