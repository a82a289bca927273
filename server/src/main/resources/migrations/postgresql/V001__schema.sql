-- The schema of Safeconduct on PostgreSQL. Times are milliseconds since 1970 unless a comment says
-- otherwise.
-- Ids and digests are bytea, as they are blobs on SQLite, so that both databases share their SQL.

-- The audit log. log_index is a record's position, without gaps. record_id is a UUIDv7, so that its
-- index grows at one end. salt and commitment are what the Merkle log holds of the record.
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
  details BYTEA NOT NULL,
  salt BYTEA NOT NULL,
  commitment BYTEA NOT NULL
) WITH (toast_tuple_target = 8128);
-- Rows stay in one piece and uncompressed: compression would take its time under the log's lock.
ALTER TABLE audit ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE audit ALTER COLUMN details SET STORAGE EXTERNAL;
ALTER TABLE audit ALTER COLUMN signature SET STORAGE PLAIN;
ALTER TABLE audit ALTER COLUMN salt SET STORAGE PLAIN;
ALTER TABLE audit ALTER COLUMN commitment SET STORAGE PLAIN;
CREATE UNIQUE INDEX audit_record ON audit (record_id);
-- Each start compares the signing keys with what the log says of them.
CREATE INDEX audit_signing_key ON audit (log_index)
  WHERE kind = 'config' AND body LIKE '%signing_key_%';
CREATE INDEX audit_org ON audit (org, log_index);
-- A passport's history, which is short beside its decisions.
CREATE INDEX audit_agent_change ON audit (agent, log_index) WHERE kind <> 'decision';

-- The tiles of the Merkle log (C2SP tlog-tiles): only full tiles of leaf hashes; the tiles above
-- hold as many hashes as there are.
CREATE TABLE log_tile (
  level INTEGER NOT NULL,
  tile BIGINT NOT NULL,
  hashes BYTEA NOT NULL,
  PRIMARY KEY (level, tile)
);

-- Signed checkpoints, at most one a minute: `audit verify` compares the log with them.
CREATE TABLE log_checkpoint (
  size BIGINT PRIMARY KEY,
  note TEXT NOT NULL
);

-- Cosignatures of stored checkpoints by witnesses (C2SP tlog-cosignature). witness is its verifier
-- key; signed_at is in seconds.
CREATE TABLE log_cosignature (
  size BIGINT NOT NULL,
  witness TEXT NOT NULL,
  signed_at BIGINT NOT NULL,
  signature BYTEA NOT NULL,
  PRIMARY KEY (size, witness)
);

-- What a node had seen of the log and did not find in this database: the number of records, and the
-- last one's commitment. While accepted_at is null, no node writes; an operator accepts the log as it
-- is.
CREATE TABLE log_dispute (
  size BIGINT NOT NULL,
  commitment BYTEA NOT NULL,
  accepted_at BIGINT,
  PRIMARY KEY (size, commitment)
);

-- An index of the audit log: which parts of it hold records of an organization with a given facet.
-- facet is kind, agent, policy, code, allow (name is true or false) or minute (name is the UTC minute
-- since 1970 in 15 digits). Part p covers positions 512 p to 512 p + 511. The key begins with the part,
-- so that rows are added at one end. The rows are written together with the tallies, after the
-- decision: positions from tally_progress.next_index on are not in it yet. After an erasure a row may
-- point to a part that no longer has such a record.
CREATE TABLE log_part (
  org TEXT NOT NULL,
  facet TEXT NOT NULL,
  name TEXT NOT NULL,
  part BIGINT NOT NULL,
  PRIMARY KEY (org, part, facet, name)
);

-- Counts of decisions for the console, added up after the decision. kind minute counts all decisions
-- of an organization by the minute (name is empty). agent and code count by hours that begin every
-- half hour; name is the agent or the reason code. bucket is when the interval began. A lost row only
-- makes a figure on a page wrong.
CREATE TABLE tally (
  org TEXT NOT NULL,
  kind TEXT NOT NULL,
  bucket BIGINT NOT NULL,
  name TEXT NOT NULL,
  allowed BIGINT NOT NULL,
  denied BIGINT NOT NULL,
  PRIMARY KEY (org, kind, bucket, name)
);

-- The first position of the log that is not counted yet.
CREATE TABLE tally_progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  next_index BIGINT NOT NULL
);
INSERT INTO tally_progress (id, next_index) VALUES (1, 0);

-- How many days an organization keeps its records in full (null: forever), and the position in the
-- log up to which this has been applied.
CREATE TABLE retention (
  org TEXT PRIMARY KEY,
  days BIGINT,
  updated_at BIGINT NOT NULL,
  examined BIGINT NOT NULL
);

-- Usage counters. A counter's value at a time is the sum of the amounts that expire after it.
CREATE TABLE counter (
  counter_key BYTEA NOT NULL,
  expires_at BIGINT NOT NULL,
  amount BIGINT NOT NULL,
  PRIMARY KEY (counter_key, expires_at)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- Charges that can be given back until they expire, by the decision that made them. charges is a
-- sequence of key (16 bytes), amount and expiry (8 bytes each). settlement is null until the
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

-- Idempotency keys in use: the request each came with, what it was judged by, and its record.
CREATE TABLE idempotency (
  claim_key BYTEA PRIMARY KEY,
  request BYTEA NOT NULL,
  basis BYTEA NOT NULL,
  record_id BYTEA NOT NULL,
  expires_at BIGINT NOT NULL
);

-- Changes that make cached facts stale, in one order for all nodes. Only the latest are kept.
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

-- People. email is in lower case. password is a PHC string, null until one is set. password_version
-- counts its changes; each change invalidates earlier links.
CREATE TABLE account (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  password TEXT,
  password_version BIGINT NOT NULL,
  operator INTEGER NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE member (
  org TEXT NOT NULL,
  account TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (org, account)
);
CREATE INDEX member_account ON member (account, created_at);

-- Sign-in sessions. Only hashes of the refresh cookie are stored: of the current one and, for a short
-- grace period, of the previous one.
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  org TEXT NOT NULL,
  refresh_hash BYTEA NOT NULL UNIQUE,
  previous_hash BYTEA,
  rotated_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  ended_at BIGINT
);
CREATE INDEX session_previous ON session (previous_hash);
CREATE INDEX session_account ON session (account);

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

-- Emails that wait to be sent. A row names the reason for the email and holds no link; given_up_at
-- marks those that will not be tried again.
CREATE TABLE mail_outbox (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at BIGINT NOT NULL,
  given_up_at BIGINT,
  fault TEXT
);
CREATE INDEX mail_outbox_due ON mail_outbox (next_at) WHERE given_up_at IS NULL;

-- Passports. document is the passport as written. frameworks and capabilities hold names, one a line,
-- with a line feed before and after each. search is name, slug and id in lower case. alias is the id
-- that the passport's UUID stands for when it was imported under another id: it is found by both.
-- listed is 1 when the owner lets it appear in the public list.
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
  document TEXT NOT NULL,
  alias TEXT,
  listed SMALLINT NOT NULL
);
CREATE INDEX passport_org ON passport (org, created_at, agent_id);
CREATE INDEX passport_status ON passport (org, status, created_at, agent_id);
CREATE INDEX passport_created ON passport (created_at, agent_id);
CREATE INDEX passport_listed ON passport (created_at, agent_id) WHERE listed = 1;
-- Finds an agent by another spelling of its id.
CREATE INDEX passport_spelling ON passport (replace(replace(lower(agent_id), '-', ''), '_', ''));
CREATE UNIQUE INDEX passport_slug ON passport (org, slug);
CREATE UNIQUE INDEX passport_alias ON passport (alias);
-- Whether any organization uses a slug, for issuing without an account.
CREATE INDEX passport_any_slug ON passport (slug);

-- Who may claim a passport, one row for each. The link's token is derived from id and expires_at and
-- is not stored; letter is the email in the outbox that last renewed it.
CREATE TABLE claim (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL UNIQUE,
  org TEXT NOT NULL,
  personal INTEGER NOT NULL,
  email TEXT NOT NULL,
  display_name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  letter TEXT,
  used_at BIGINT
);

-- Slugs given out to passports issued without an account. shape leaves out what makes two slugs only
-- look different. An unclaimed slug is held until held_until, a claimed one forever.
CREATE TABLE slug_hold (
  shape TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  held_until BIGINT
);

-- An organization's own pack: the version that decides, and the version evaluated in shadow mode.
-- change_no numbers the changes of all packs of the organization, so that the latest can be found.
CREATE TABLE organization_pack (
  org TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  latest BIGINT NOT NULL,
  active BIGINT,
  shadow BIGINT,
  shadow_since BIGINT,
  revision BIGINT NOT NULL,
  change_no BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (org, policy_id)
);
CREATE INDEX organization_pack_change ON organization_pack (org, change_no);

-- A published version of a pack. Only deprecated_at changes afterwards.
CREATE TABLE pack_version (
  org TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  version BIGINT NOT NULL,
  digest TEXT NOT NULL,
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  deprecated_at BIGINT,
  document TEXT NOT NULL,
  PRIMARY KEY (org, policy_id, version)
);

-- The processes that serve, and when each was last seen.
CREATE TABLE node (
  id TEXT PRIMARY KEY,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  stopped_at BIGINT
);

-- The version of a pack that each node uses.
CREATE TABLE node_pack (
  org TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  node TEXT NOT NULL,
  digest TEXT NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (org, policy_id, node)
);

-- Results of shadow evaluation, counted by each node. unfinished is 1 until the node has written its
-- last counts.
CREATE TABLE shadow_tally (
  org TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  version BIGINT NOT NULL,
  node TEXT NOT NULL,
  evaluated BIGINT NOT NULL,
  would_deny BIGINT NOT NULL,
  would_allow BIGINT NOT NULL,
  other_reason BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  dropped BIGINT NOT NULL,
  unfinished BIGINT NOT NULL,
  PRIMARY KEY (org, policy_id, version, node)
);

-- Decisions that the version in shadow mode would have made differently. Only the latest of each pack
-- are kept.
CREATE TABLE shadow_difference (
  org TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  place BIGINT NOT NULL,
  version BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (org, policy_id, place)
);

-- Actions that wait for a person's approval, by the decision that denied them. binding is an HMAC over
-- nonce, agent, digests and the bytes of the context: an answer is valid for exactly that, once.
-- request is the same without the nonce, to find an approval that is already pending. context is
-- encrypted, and deleted once the approval is answered or has expired. used_by is the decision that
-- the answer allowed.
CREATE TABLE approval (
  record_id BYTEA PRIMARY KEY,
  org TEXT NOT NULL,
  agent TEXT NOT NULL,
  policy TEXT NOT NULL,
  passport_digest TEXT NOT NULL,
  policy_digest TEXT NOT NULL,
  nonce BYTEA NOT NULL,
  binding BYTEA NOT NULL,
  request BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  context BYTEA,
  answer TEXT,
  answered_by TEXT,
  answered_at BIGINT,
  comment TEXT,
  used_by BYTEA
);
CREATE INDEX approval_org ON approval (org, record_id);
CREATE INDEX approval_waiting ON approval (org, agent) WHERE answer IS NULL;
CREATE INDEX approval_sealed ON approval (expires_at) WHERE context IS NOT NULL;

-- Webhooks of organizations. agent limits a webhook to one agent; events is a JSON array of names;
-- secrets are encrypted under the master key.
CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  url TEXT NOT NULL,
  agent TEXT,
  events TEXT NOT NULL,
  active SMALLINT NOT NULL,
  retries INTEGER,
  delay_ms BIGINT,
  timeout_ms BIGINT,
  secrets BYTEA NOT NULL,
  overlap_ends_at BIGINT,
  revision BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX webhook_org ON webhook (org, created_at, id);
CREATE INDEX webhook_target ON webhook (org, coalesce(agent, ''));

-- One event for one receiver: a webhook of an organization, or the operator's, which has no org.
CREATE TABLE webhook_delivery (
  id TEXT PRIMARY KEY,
  receiver TEXT NOT NULL,
  org TEXT,
  agent TEXT NOT NULL,
  event_id TEXT NOT NULL,
  payload TEXT NOT NULL,
  url TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  response_status INTEGER,
  response_ms BIGINT,
  failure TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX webhook_delivery_receiver ON webhook_delivery (receiver, created_at, id);
CREATE INDEX webhook_delivery_created ON webhook_delivery (created_at);

-- Facts that the operator reports; document is the feed's values as JSON.
CREATE TABLE feed (
  name TEXT PRIMARY KEY,
  document TEXT NOT NULL,
  updated_at BIGINT NOT NULL
);

-- Signing keys. revoked_at is when the key was reported as compromised. sealed_seed is encrypted under
-- the master key and covers the other columns: a row that was altered does not open.
CREATE TABLE signing_key (
  id TEXT PRIMARY KEY,
  purpose TEXT NOT NULL,
  public_key BYTEA NOT NULL,
  sealed_seed BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  retired_at BIGINT,
  revoked_at BIGINT
);
CREATE UNIQUE INDEX signing_key_current ON signing_key (purpose) WHERE retired_at IS NULL;

-- Small values by name, encrypted or hashed by the code that stores them.
CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BYTEA NOT NULL
);

-- Rate limits that all nodes share. id is a hash of the limit's name and whom it limits.
CREATE TABLE rate_bucket (
  id TEXT PRIMARY KEY,
  state BYTEA,
  expires_at BIGINT
);
CREATE INDEX rate_bucket_expiry ON rate_bucket (expires_at);
