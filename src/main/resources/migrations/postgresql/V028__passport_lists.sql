-- Lists narrowed by status without reading every passport.
CREATE INDEX passport_status ON passport (org, status, created_at, agent_id);
