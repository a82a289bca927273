-- The audit log. log_index is the record's place, without gaps; record_id a UUIDv7, so that its
-- index grows at one end. Ids and digests are bytea, as SQLite has it, so both share their SQL.
CREATE TABLE audit (
  log_index BIGINT PRIMARY KEY,
  record_id BYTEA NOT NULL,
  kind TEXT NOT NULL,
  org TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  agent TEXT,
  policy TEXT,
  allow SMALLINT,
  code TEXT,
  body BYTEA NOT NULL,
  signature BYTEA NOT NULL,
  details BYTEA NOT NULL
) WITH (toast_tuple_target = 8128);
-- Rows stay in one piece, uncompressed: the time would be spent under the log's lock.
ALTER TABLE audit ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE audit ALTER COLUMN details SET STORAGE EXTERNAL;
ALTER TABLE audit ALTER COLUMN signature SET STORAGE PLAIN;
CREATE UNIQUE INDEX audit_record ON audit (record_id);
CREATE INDEX audit_org ON audit (org, log_index);

-- A counter's value at a time is the sum of the amounts that expire after it.
CREATE TABLE counter (
  counter_key BYTEA NOT NULL,
  expires_at BIGINT NOT NULL,
  amount BIGINT NOT NULL,
  PRIMARY KEY (counter_key, expires_at)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- Who owns an idempotency key: the request it came with, what that was judged by, and the record.
CREATE TABLE idempotency (
  claim_key BYTEA PRIMARY KEY,
  request BYTEA NOT NULL,
  basis BYTEA NOT NULL,
  record_id BYTEA NOT NULL,
  expires_at BIGINT NOT NULL
);

-- What outdates cached facts, in one order over all nodes; only the latest are kept.
CREATE TABLE change (
  sequence BIGINT PRIMARY KEY,
  subject TEXT NOT NULL,
  at_ms BIGINT NOT NULL
);

CREATE TABLE organization (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX organization_created ON organization (created_at, id);

CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  bound_to TEXT,
  hash BYTEA NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
);
CREATE INDEX api_key_org ON api_key (org, created_at, id);

-- document is the passport as written. frameworks and capabilities list its names, one a line with
-- a line end before and after each; search is name, slug and id in lower case.
CREATE TABLE passport (
  agent_id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  slug TEXT,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  revision BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  frameworks TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  search TEXT NOT NULL,
  document TEXT NOT NULL
);
CREATE INDEX passport_org ON passport (org, created_at, agent_id);
CREATE INDEX passport_created ON passport (created_at, agent_id);
CREATE UNIQUE INDEX passport_slug ON passport (org, slug);

CREATE TABLE signing_key (
  id TEXT PRIMARY KEY,
  purpose TEXT NOT NULL,
  public_key BYTEA NOT NULL,
  sealed_seed BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  retired_at BIGINT
);
CREATE UNIQUE INDEX signing_key_current ON signing_key (purpose) WHERE retired_at IS NULL;

-- Small values by name, sealed or hashed by whoever keeps them here.
CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BYTEA NOT NULL
);
