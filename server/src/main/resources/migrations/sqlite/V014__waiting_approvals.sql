-- Finds waiting approvals without reading those that expired unanswered.
-- Rewrites: approval

DROP INDEX approval_waiting;
CREATE INDEX approval_waiting ON approval (org, expires_at, agent) WHERE answer IS NULL;
