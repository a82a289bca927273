package dev.safeconduct.verify;

import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.InclusionProof;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.identity.Tenant;
import java.util.UUID;

/** Proofs that a decision just made is in the log, for those who ask with it. */
public record DecisionProofs(AuditLog records, MerkleLog log, Checkpoints checkpoints) {
  /** The proof as C2SP tlog-proof. */
  String of(SignedDecision decision) {
    UUID id = UUID.fromString(decision.document().string("decision_id").orElseThrow());
    return records
        .find(new Tenant.Everyone(), id)
        .map(record -> InclusionProof.of(record, log, checkpoints).tlogProof())
        .orElseThrow(() -> new IllegalStateException("a decision just recorded is not there"));
  }
}
