-- A pack of an organization: which of its versions decides and which one is tried beside it.
-- change_no counts the changes of all packs of the organization, so that the latest can be found.
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

-- A version as it was published: only deprecated_at is ever written again.
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

-- The processes that serve, and when each was last known to.
CREATE TABLE node (
  id TEXT PRIMARY KEY,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  stopped_at BIGINT
);

-- Which version of a pack a node judges by.
CREATE TABLE node_pack (
  org TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  node TEXT NOT NULL,
  digest TEXT NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (org, policy_id, node)
);
