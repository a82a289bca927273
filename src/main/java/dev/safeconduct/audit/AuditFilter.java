package dev.safeconduct.audit;

import dev.safeconduct.identity.AgentId;
import java.time.Instant;
import java.util.Optional;

/**
 * Which records to list; absent parts do not narrow.
 *
 * @param from inclusive
 * @param to exclusive
 */
public record AuditFilter(
    Optional<RecordKind> kind,
    Optional<AgentId> agent,
    Optional<String> policyId,
    Optional<Boolean> allow,
    Optional<String> code,
    Optional<Instant> from,
    Optional<Instant> to) {
  public static final AuditFilter ALL =
      new AuditFilter(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
}
