package dev.safeconduct.ledger;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A refund of a decision's charges to their counters.
 *
 * @param decisionId the decision that took the charges
 * @param claim the idempotency key to free, if it is still that decision's
 * @param settle decides in the same transaction whether they may be refunded; if not, nothing is
 *     written
 */
public record Refund(
    UUID decisionId, List<Charge> charges, Optional<CounterKey> claim, LedgerStep settle) {}
