-- What is left of the rates that all nodes count together. id is a hash of who and what.
CREATE TABLE rate_bucket (
  id TEXT PRIMARY KEY,
  state BYTEA,
  expires_at BIGINT
);
CREATE INDEX rate_bucket_expiry ON rate_bucket (expires_at);
