-- Adds creator, last use and allowed addresses of API keys, and formats and further events of webhooks.
-- Rewrites: api_key, webhook, webhook_delivery

-- created_by and last_used_at are NULL for what happened before. allowed_sources holds address ranges, a blank
-- between two; it is empty for any address.
ALTER TABLE api_key ADD COLUMN created_by TEXT;
ALTER TABLE api_key ADD COLUMN last_used_at INTEGER;
ALTER TABLE api_key ADD COLUMN allowed_sources TEXT NOT NULL DEFAULT '';
CREATE INDEX api_key_expiry ON api_key (org, expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

-- json, slack or teams.
ALTER TABLE webhook ADD COLUMN format TEXT NOT NULL DEFAULT 'json';

-- When a delivery in the state waiting is tried next; NULL in every other state.
ALTER TABLE webhook_delivery ADD COLUMN next_at INTEGER;
CREATE INDEX webhook_delivery_due ON webhook_delivery (receiver, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (org) WHERE next_at IS NOT NULL;

-- Events that are published once, for example for one window of a limit. until is when the name may be used again.
CREATE TABLE event_once (
  name TEXT PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT;
CREATE INDEX event_once_until ON event_once (until);
