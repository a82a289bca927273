-- The streams of audit records to the operator's destinations (AUDIT_STREAM). next_index is the first
-- position of the log that the destination has not acknowledged; resend_index is where sending begins
-- after a break. commitment is that of the record before resend_index: another one there means that
-- the log is not the one that was sent. One node sends at a time: holder is its random id, empty for
-- none, and beat counts its signs of life.
CREATE TABLE audit_stream (
  name TEXT PRIMARY KEY,
  next_index INTEGER NOT NULL,
  resend_index INTEGER NOT NULL,
  commitment BLOB,
  holder TEXT NOT NULL,
  beat INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  failing_since INTEGER,
  error TEXT
) STRICT;

-- Records that a destination has refused while it accepted others: records is how many of the
-- positions from first_index to last_index, and answer is what it said.
CREATE TABLE audit_stream_set_aside (
  name TEXT NOT NULL,
  first_index INTEGER NOT NULL,
  last_index INTEGER NOT NULL,
  records INTEGER NOT NULL,
  answer TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (name, first_index, last_index)
) STRICT;
