-- In which parts of the log an organization's records name something, so that what is rare is found
-- without a scan: facet is kind, agent, policy, code or allow (name true or false); part p holds the
-- places from 512 p to 512 p + 511. Ordered by part, so that it is written at one end. Made together with the tallies, apart from the way of decisions,
-- so places from tally_progress.next_index on are not in it yet. A part may be named in which
-- nothing is left after an erasure.
CREATE TABLE log_part (
  org TEXT NOT NULL,
  facet TEXT NOT NULL,
  name TEXT NOT NULL,
  part BIGINT NOT NULL,
  PRIMARY KEY (org, part, facet, name)
);

-- The log is gone through again, once.
DELETE FROM tally;
UPDATE tally_progress SET next_index = 0 WHERE id = 1;
