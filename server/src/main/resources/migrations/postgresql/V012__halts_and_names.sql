-- An operator halts an organization independently of its own halt: both must end. Indexes names of agents and waiting deliveries.
-- Rewrites: halt, passport, webhook_delivery

CREATE TABLE halts (
  org TEXT NOT NULL,
  reason TEXT NOT NULL,
  by_operator INTEGER NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (org, by_operator)
);
INSERT INTO halts (org, reason, by_operator, since)
SELECT org, reason, by_operator, since FROM halt;
DROP TABLE halt;
ALTER TABLE halts RENAME TO halt;

-- Finds an agent by its exact name.
CREATE INDEX passport_name ON passport (org, lower(name));

-- Counts the waiting deliveries of each webhook of an organization without reading them.
DROP INDEX webhook_delivery_waiting;
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (org, receiver) WHERE next_at IS NOT NULL;
