-- How many days an organization's records are kept whole (for good where null), and up to which
-- place in the log they have been looked at for it.
CREATE TABLE retention (
  org text PRIMARY KEY,
  days bigint,
  updated_at bigint NOT NULL,
  examined bigint NOT NULL
);
