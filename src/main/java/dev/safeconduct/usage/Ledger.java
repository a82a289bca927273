package dev.safeconduct.usage;

import java.util.Collection;

/** Commits decisions: record, charges and idempotency key together, durably, or nothing at all. */
public interface Ledger {
  /**
   * Waits until the entry is durable or refused. Entries are checked and applied in one total
   * order, on any number of nodes. A claim whose key is held by an equal request judged on another
   * basis takes the key over.
   *
   * @throws dev.safeconduct.problem.ProblemException {@code Unavailable} when the store fails or is
   *     stopping; nothing was recorded then, or the caller never learns of it and charges may be
   *     over-counted
   */
  Commit commit(LedgerEntry entry);

  /** The counters' sums at the time, read without taking part in any commit. */
  Usage totals(Collection<CounterKey> keys, long nowMs);
}
