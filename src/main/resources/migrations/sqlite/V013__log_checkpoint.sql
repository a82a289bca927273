-- Checkpoints as they were signed, one a minute in use: what the log is held against later.
CREATE TABLE log_checkpoint (
  size INTEGER PRIMARY KEY,
  note TEXT NOT NULL
) STRICT;
