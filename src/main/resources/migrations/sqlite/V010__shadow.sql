-- What trials of pack versions have counted, each node for itself. unfinished: the node has not
-- said that its last counts are written.
CREATE TABLE shadow_tally (
  org TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  node TEXT NOT NULL,
  evaluated INTEGER NOT NULL,
  would_deny INTEGER NOT NULL,
  would_allow INTEGER NOT NULL,
  other_reason INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  dropped INTEGER NOT NULL,
  unfinished INTEGER NOT NULL,
  PRIMARY KEY (org, policy_id, version, node)
) STRICT, WITHOUT ROWID;

-- Decisions that a tried version would have made otherwise; only the latest of a pack are kept.
CREATE TABLE shadow_difference (
  org TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  version INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (org, policy_id, place)
) STRICT;
