-- People. email is in small letters; password is a PHC string, absent until one is set;
-- password_version counts its changes, and with each of them older links become worthless.
CREATE TABLE account (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  password TEXT,
  password_version INTEGER NOT NULL,
  operator INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE member (
  org TEXT NOT NULL,
  account TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_account ON member (account, created_at);

-- Logins. Only hashes of the refresh cookie are kept: the present one's and, for a moment of grace,
-- that of the one before.
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  org TEXT NOT NULL,
  refresh_hash BLOB NOT NULL UNIQUE,
  previous_hash BLOB,
  rotated_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX session_previous ON session (previous_hash);
CREATE INDEX session_account ON session (account);

-- Who may claim a passport, one row each. The link's token is derived from id and expires_at and is
-- not here; letter is the outbox entry that last renewed it.
CREATE TABLE claim (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL UNIQUE,
  org TEXT NOT NULL,
  personal INTEGER NOT NULL,
  email TEXT NOT NULL,
  display_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  letter TEXT,
  used_at INTEGER
) STRICT;

-- Slugs that anonymous issuance has given out, without what makes them only look different.
-- Unclaimed ones are held until held_until; claimed ones for good.
CREATE TABLE slug_hold (
  shape TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  held_until INTEGER
) STRICT;

-- A passport's history, which is short beside its decisions.
CREATE INDEX audit_agent_change ON audit (agent, log_index) WHERE kind <> 'decision';

-- Whether a slug is in use anywhere, for those who ask for one without an account.
CREATE INDEX passport_any_slug ON passport (slug);
