-- What witnesses have signed of kept checkpoints (C2SP tlog-cosignature): the witness as its
-- verifier key, the time in seconds.
CREATE TABLE log_cosignature (
  size bigint NOT NULL,
  witness text NOT NULL,
  signed_at bigint NOT NULL,
  signature bytea NOT NULL,
  PRIMARY KEY (size, witness)
);
