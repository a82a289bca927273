-- The streams of audit records to the operator's destinations (AUDIT_STREAM). next_index is the first
-- position of the log that the destination has not acknowledged; resend_index is where sending begins
-- after a break. commitment is that of the record before resend_index: another one there means that
-- the log is not the one that was sent. One node sends at a time: holder is its random id, empty for
-- none, and beat counts its signs of life.
CREATE TABLE audit_stream (
  name TEXT PRIMARY KEY,
  next_index BIGINT NOT NULL,
  resend_index BIGINT NOT NULL,
  commitment BYTEA,
  holder TEXT NOT NULL,
  beat BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  failing_since BIGINT,
  error TEXT
);

-- Records that a destination has refused while it accepted others: records is how many of the
-- positions from first_index to last_index, and answer is what it said.
CREATE TABLE audit_stream_set_aside (
  name TEXT NOT NULL,
  first_index BIGINT NOT NULL,
  last_index BIGINT NOT NULL,
  records BIGINT NOT NULL,
  answer TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  PRIMARY KEY (name, first_index, last_index)
);
