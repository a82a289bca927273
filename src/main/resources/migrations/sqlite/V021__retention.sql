-- How many days an organization's records are kept whole (for good where null), and up to which
-- place in the log they have been looked at for it.
CREATE TABLE retention (
  org TEXT PRIMARY KEY,
  days INTEGER,
  updated_at INTEGER NOT NULL,
  examined INTEGER NOT NULL
) STRICT;
