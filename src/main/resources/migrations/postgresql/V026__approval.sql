-- Actions that wait for a person, by the decision that denied them. binding is an HMAC over the
-- nonce, agent, digests and the bytes of the context: an answer is good for exactly that, once.
-- request is the same without the nonce, to find the one that is waiting already. context is sealed
-- and goes when it is answered or too late. used_by is the decision that the answer let through.
CREATE TABLE approval (
  record_id BYTEA PRIMARY KEY,
  org TEXT NOT NULL,
  agent TEXT NOT NULL,
  policy TEXT NOT NULL,
  passport_digest TEXT NOT NULL,
  policy_digest TEXT NOT NULL,
  nonce BYTEA NOT NULL,
  binding BYTEA NOT NULL,
  request BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  context BYTEA,
  answer TEXT,
  answered_by TEXT,
  answered_at BIGINT,
  comment TEXT,
  used_by BYTEA
);
CREATE INDEX approval_org ON approval (org, record_id);
CREATE INDEX approval_waiting ON approval (org, agent) WHERE answer IS NULL;
CREATE INDEX approval_sealed ON approval (expires_at) WHERE context IS NOT NULL;
