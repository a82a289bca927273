-- Letters that wait to be sent. A row names the occasion and holds no link; given_up_at marks those
-- that will not be tried again.
CREATE TABLE mail_outbox (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at BIGINT NOT NULL,
  given_up_at BIGINT,
  fault TEXT
);
CREATE INDEX mail_outbox_due ON mail_outbox (next_at) WHERE given_up_at IS NULL;
