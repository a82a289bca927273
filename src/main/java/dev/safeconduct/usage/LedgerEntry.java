package dev.safeconduct.usage;

import dev.safeconduct.audit.AuditRecord;
import java.util.List;
import java.util.Optional;

/**
 * A decision on its way into the log.
 *
 * @param conditions what must still hold, in the order of the pack's rules
 * @param charges what is taken when it does
 */
public record LedgerEntry(
    AuditRecord record,
    List<Condition> conditions,
    List<Charge> charges,
    Fence fence,
    Optional<IdempotencyClaim> claim) {
  public LedgerEntry {
    conditions = List.copyOf(conditions);
    charges = List.copyOf(charges);
  }
}
