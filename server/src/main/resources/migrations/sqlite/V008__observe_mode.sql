-- Adds observe mode of agents and organizations.

-- Agents in observe mode: most denials are answered as an allow, up to a time. agent is * for all agents of
-- the organization. money is 1 when packs that move money are observed too.
CREATE TABLE observe_mode (
  org TEXT NOT NULL,
  agent TEXT NOT NULL,
  until INTEGER NOT NULL,
  money INTEGER NOT NULL,
  reason TEXT NOT NULL,
  set_by TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (org, agent)
) STRICT;
