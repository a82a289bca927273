-- Agents and reasons are counted by hours that begin every half hour; whole hours and policies, which no
-- page shows, no more.
DELETE FROM tally WHERE kind IN ('hour', 'policy');
