-- Adds an index for a test. This sentence is not part of the summary.
-- Rewrites: audit
-- Setting OLD_NAME: it is now called NEW_NAME.
CREATE INDEX audit_test ON audit (kind, at_ms);
