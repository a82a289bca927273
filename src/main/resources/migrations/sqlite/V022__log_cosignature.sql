-- What witnesses have signed of kept checkpoints (C2SP tlog-cosignature): the witness as its
-- verifier key, the time in seconds.
CREATE TABLE log_cosignature (
  size INTEGER NOT NULL,
  witness TEXT NOT NULL,
  signed_at INTEGER NOT NULL,
  signature BLOB NOT NULL,
  PRIMARY KEY (size, witness)
) STRICT;
