-- Fails after its first statement.
CREATE TABLE half (id INTEGER);
INSERT INTO half (id) VALUES (1);
INSERT INTO nothing (id) VALUES (1);
