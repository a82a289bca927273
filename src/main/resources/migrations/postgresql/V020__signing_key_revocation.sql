-- When a signing key was called compromised.
ALTER TABLE signing_key ADD COLUMN revoked_at bigint;
