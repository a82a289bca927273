-- Adds sign-in at an identity provider: whom its subjects are, memberships by group, and the provider's sessions.
-- Rewrites: member, session

-- The account of a subject of an issuer. It stays the same when the email address changes.
CREATE TABLE identity (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  account TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_account ON identity (account);

-- 1 when groups at the provider give the role; it goes when they do.
ALTER TABLE member ADD COLUMN by_group INTEGER NOT NULL DEFAULT 0;

-- Of a session that began at a provider. id_token is sealed; it goes back to the provider when the person signs out.
ALTER TABLE session ADD COLUMN issuer TEXT;
ALTER TABLE session ADD COLUMN subject TEXT;
ALTER TABLE session ADD COLUMN provider_session TEXT;
ALTER TABLE session ADD COLUMN id_token TEXT;
CREATE INDEX session_expires_at ON session (expires_at);
CREATE INDEX session_subject ON session (subject) WHERE subject IS NOT NULL;
CREATE INDEX session_provider ON session (provider_session) WHERE provider_session IS NOT NULL;

-- What is accepted once: an attempt to sign in, and a provider's notice of a sign-out. until is when it expires.
CREATE TABLE accepted_once (
  name TEXT PRIMARY KEY,
  until BIGINT NOT NULL
);
CREATE INDEX accepted_once_until ON accepted_once (until);
