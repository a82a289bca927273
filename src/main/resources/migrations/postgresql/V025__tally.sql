-- What decisions came to, added up apart from their way: kind is minute and hour (all of an
-- organization's, name is empty), and by the hour agent, code and policy. bucket is its beginning in
-- milliseconds. Rows can be lost without harm but for the figures on a page.
CREATE TABLE tally (
  org TEXT NOT NULL,
  kind TEXT NOT NULL,
  bucket BIGINT NOT NULL,
  name TEXT NOT NULL,
  allowed BIGINT NOT NULL,
  denied BIGINT NOT NULL,
  PRIMARY KEY (org, kind, bucket, name)
);

-- The first place of the log that has not been added up yet.
CREATE TABLE tally_progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  next_index BIGINT NOT NULL
);
INSERT INTO tally_progress (id, next_index) VALUES (1, 0);
