package dev.safeconduct.usage;

import dev.safeconduct.audit.AuditRecord;
import java.util.List;
import java.util.Optional;

/**
 * A decision on its way into the log.
 *
 * @param conditions what must still hold, in the order of the pack's rules
 * @param charges what is taken when it does
 * @param reservation what may be given back later, if that was asked for
 * @param approval what happens to an approval
 */
public record LedgerEntry(
    AuditRecord record,
    List<Condition> conditions,
    List<Charge> charges,
    Fence fence,
    Optional<IdempotencyClaim> claim,
    Optional<Reservation> reservation,
    Optional<ApprovalStep> approval) {
  public LedgerEntry {
    conditions = List.copyOf(conditions);
    charges = List.copyOf(charges);
  }

  /** One whose charges are taken for good. */
  public LedgerEntry(
      AuditRecord record,
      List<Condition> conditions,
      List<Charge> charges,
      Fence fence,
      Optional<IdempotencyClaim> claim) {
    this(record, conditions, charges, fence, claim, Optional.empty());
  }

  /** One that has nothing to do with approvals. */
  public LedgerEntry(
      AuditRecord record,
      List<Condition> conditions,
      List<Charge> charges,
      Fence fence,
      Optional<IdempotencyClaim> claim,
      Optional<Reservation> reservation) {
    this(record, conditions, charges, fence, claim, reservation, Optional.empty());
  }
}
