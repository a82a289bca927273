-- Keeps observe modes that ended, so that the next one counts their days.
-- Rewrites: observe_mode

-- used: the milliseconds of earlier modes of the same agent. ended: 1 when its end is recorded; until is then that end.
ALTER TABLE observe_mode ADD COLUMN used BIGINT NOT NULL DEFAULT 0;
ALTER TABLE observe_mode ADD COLUMN ended BIGINT NOT NULL DEFAULT 0;
