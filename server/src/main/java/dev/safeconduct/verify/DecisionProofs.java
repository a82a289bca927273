package dev.safeconduct.verify;

import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.InclusionProof;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.identity.Tenant;
import java.util.UUID;

/** Creates proofs that a new decision is in the log, for callers who request one. */
public record DecisionProofs(AuditLog records, MerkleLog log, Checkpoints checkpoints) {
  /** The proof as C2SP tlog-proof. */
  String of(UUID id) {
    return records
        .find(new Tenant.Everyone(), id)
        .map(record -> InclusionProof.of(record, log, checkpoints).tlogProof())
        .orElseThrow(() -> new IllegalStateException("a decision just recorded is not there"));
  }
}
