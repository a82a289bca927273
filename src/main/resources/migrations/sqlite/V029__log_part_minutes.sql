-- log_part has one more facet, minute (UTC, epoch minutes in 15 digits), so that the records of a
-- time are found without a scan. The log is gone through again, once.
DELETE FROM tally;
UPDATE tally_progress SET next_index = 0 WHERE id = 1;
