-- Adds passkeys, recovery codes, and what each session was begun with.
-- Rewrites: session

-- id is the credential id in base64url; credential is the attested credential data of WebAuthn in base64url.
CREATE TABLE passkey (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  name TEXT NOT NULL,
  credential TEXT NOT NULL,
  sign_count INTEGER NOT NULL,
  backup_eligible INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX passkey_account ON passkey (account);

-- A code is deleted when it is used.
CREATE TABLE recovery_code (
  account TEXT NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (account, hash)
) STRICT;

-- device is in words; second_factor is 1 for a session that began with a passkey or a recovery code.
ALTER TABLE session ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN second_factor INTEGER NOT NULL DEFAULT 0;
