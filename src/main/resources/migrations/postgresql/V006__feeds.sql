-- What the operator reports of the world outside; document is the feed's values as JSON.
CREATE TABLE feed (
  name TEXT PRIMARY KEY,
  document TEXT NOT NULL,
  updated_at BIGINT NOT NULL
);
