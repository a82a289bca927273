-- Finds the waiting approvals of one agent beside many of others.
-- Rewrites: approval

CREATE INDEX approval_of_agent ON approval (org, agent, expires_at) WHERE answer IS NULL;
