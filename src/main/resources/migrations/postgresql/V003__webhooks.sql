-- Receivers that organizations have registered. agent is the only one it wants to hear of; events a
-- JSON array of names; secrets are sealed under the master key.
CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  url TEXT NOT NULL,
  agent TEXT,
  events TEXT NOT NULL,
  active SMALLINT NOT NULL,
  retries INTEGER,
  delay_ms BIGINT,
  timeout_ms BIGINT,
  secrets BYTEA NOT NULL,
  overlap_ends_at BIGINT,
  revision BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX webhook_org ON webhook (org, created_at, id);
CREATE INDEX webhook_target ON webhook (org, coalesce(agent, ''));

-- One event for one receiver: a webhook of the organization, or the operator's, which has none.
CREATE TABLE webhook_delivery (
  id TEXT PRIMARY KEY,
  receiver TEXT NOT NULL,
  org TEXT,
  agent TEXT NOT NULL,
  event_id TEXT NOT NULL,
  payload TEXT NOT NULL,
  url TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  response_status INTEGER,
  response_ms BIGINT,
  failure TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX webhook_delivery_receiver ON webhook_delivery (receiver, created_at, id);
CREATE INDEX webhook_delivery_created ON webhook_delivery (created_at);
