-- Adds a table
-- for a test.
CREATE TABLE upgraded (id INTEGER);
