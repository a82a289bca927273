-- Lists narrowed by status, and searches, without reading every passport: the words that are searched
-- stand in the index that gives the order.
DROP INDEX passport_org;
CREATE INDEX passport_org ON passport (org, created_at, agent_id, search);
CREATE INDEX passport_status ON passport (org, status, created_at, agent_id);
