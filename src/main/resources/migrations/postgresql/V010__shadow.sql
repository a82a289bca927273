-- What trials of pack versions have counted, each node for itself. unfinished: the node has not
-- said that its last counts are written.
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

-- Decisions that a tried version would have made otherwise; only the latest of a pack are kept.
CREATE TABLE shadow_difference (
  org TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  place BIGINT NOT NULL,
  version BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (org, policy_id, place)
);
