-- The audit log. log_index is the record's place, without gaps; record_id a UUIDv7, so that its
-- index grows at one end.
CREATE TABLE audit (
  log_index INTEGER PRIMARY KEY,
  record_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  org TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  agent TEXT,
  policy TEXT,
  allow INTEGER,
  code TEXT,
  body BLOB NOT NULL,
  signature BLOB NOT NULL,
  details BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX audit_record ON audit (record_id);
-- The rowid, which is log_index, is the last part of every index.
CREATE INDEX audit_org ON audit (org);

-- A counter's value at a time is the sum of the amounts that expire after it.
CREATE TABLE counter (
  counter_key BLOB NOT NULL,
  expires_at INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (counter_key, expires_at)
) STRICT, WITHOUT ROWID;

-- Who owns an idempotency key: the request it came with, what that was judged by, and the record.
CREATE TABLE idempotency (
  claim_key BLOB PRIMARY KEY,
  request BLOB NOT NULL,
  basis BLOB NOT NULL,
  record_id BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What outdates cached facts, in one order over all nodes; only the latest are kept.
CREATE TABLE change (
  sequence INTEGER PRIMARY KEY,
  subject TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE organization (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX organization_created ON organization (created_at, id);

CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  bound_to TEXT,
  hash BLOB NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX api_key_org ON api_key (org, created_at, id);

-- document is the passport as written. frameworks and capabilities list its names, one a line with
-- a line end before and after each; search is name, slug and id in lower case.
CREATE TABLE passport (
  agent_id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  slug TEXT,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  frameworks TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  search TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE INDEX passport_org ON passport (org, created_at, agent_id);
CREATE INDEX passport_created ON passport (created_at, agent_id);
CREATE UNIQUE INDEX passport_slug ON passport (org, slug);

CREATE TABLE signing_key (
  id TEXT PRIMARY KEY,
  purpose TEXT NOT NULL,
  public_key BLOB NOT NULL,
  sealed_seed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  retired_at INTEGER
) STRICT;
CREATE UNIQUE INDEX signing_key_current ON signing_key (purpose) WHERE retired_at IS NULL;

-- Small values by name, sealed or hashed by whoever keeps them here.
CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;
