-- Operators' tokens beside the admin token, and stops of organizations. role is operator, read_only or
-- deploy; org limits the token to one organization. last_used_at is exact to the minute.
CREATE TABLE operator_token (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  org TEXT,
  hash BYTEA NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  last_used_at BIGINT
);

-- Organizations whose agents are all denied; * stands for every organization. by_operator is 1 when
-- only an operator may resume it.
CREATE TABLE halt (
  org TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  by_operator INTEGER NOT NULL,
  since BIGINT NOT NULL
);
