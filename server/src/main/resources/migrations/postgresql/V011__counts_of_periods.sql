-- Counts all decisions again, also by hour, policy and day, for periods up to 30 days.
-- Rewrites: tally, tally_progress

-- New kinds: hour counts all decisions of an organization by the hour, policy by hours that begin
-- every half hour, agent_day by the day of UTC.
DELETE FROM tally;
UPDATE tally_progress SET next_index = 0;
