package dev.safeconduct.ledger;

import java.util.List;
import java.util.Optional;

/**
 * A decision to be committed to the log.
 *
 * @param conditions the preconditions that must still hold, in the order of the pack's rules
 * @param charges the amounts taken when they hold
 * @param steps the features' additions to the transaction, in this order
 */
public record LedgerEntry(
    AuditRecord record,
    List<CounterPrecondition> conditions,
    List<Charge> charges,
    ReadSet fence,
    Optional<IdempotencyClaim> claim,
    List<LedgerStep> steps) {
  public LedgerEntry {
    conditions = List.copyOf(conditions);
    charges = List.copyOf(charges);
    steps = List.copyOf(steps);
  }

  /** Creates an entry without feature steps. */
  public LedgerEntry(
      AuditRecord record,
      List<CounterPrecondition> conditions,
      List<Charge> charges,
      ReadSet fence,
      Optional<IdempotencyClaim> claim) {
    this(record, conditions, charges, fence, claim, List.of());
  }
}
