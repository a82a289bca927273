-- Adds the use of privileges by agent.
-- Rewrites: passport

-- When a policy last allowed an action to an agent, and the numbers of such actions on the latest day (days
-- since 1970) and on the busiest. Rows are written together with the tallies, after the decision. A row with
-- an empty policy marks a change of the passport. marked is the position in the log at which the change was
-- counted; 0 once the agent's score is computed from it. What an instance uses counts for its template too.
CREATE TABLE agent_use (
  org TEXT NOT NULL,
  agent TEXT NOT NULL,
  policy TEXT NOT NULL,
  last_at BIGINT NOT NULL,
  day BIGINT NOT NULL,
  in_day BIGINT NOT NULL,
  most_in_day BIGINT NOT NULL,
  marked BIGINT NOT NULL,
  PRIMARY KEY (org, agent, policy)
);
CREATE INDEX agent_use_marked ON agent_use (org, agent) WHERE marked > 0;

-- Agents by the privilege they do not use. minus_score is negative, so that the widest come first.
-- review_at is when a policy falls out of the period unless it is used again; null if none can.
CREATE TABLE unused_privilege (
  org TEXT NOT NULL,
  agent TEXT NOT NULL,
  minus_score BIGINT NOT NULL,
  review_at BIGINT,
  PRIMARY KEY (org, agent)
);
CREATE INDEX unused_privilege_widest ON unused_privilege (org, minus_score, agent);
CREATE INDEX unused_privilege_review ON unused_privilege (review_at) WHERE review_at IS NOT NULL;

-- The passports that exist. Their use is counted from the log, which V011 counts again.
INSERT INTO agent_use (org, agent, policy, last_at, day, in_day, most_in_day, marked)
SELECT org, agent_id, '', 0, 0, 0, 0, 1 FROM passport WHERE status <> 'revoked';
