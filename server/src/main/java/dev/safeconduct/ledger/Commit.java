package dev.safeconduct.ledger;

import java.util.Map;

/** The result of committing a {@link LedgerEntry}. */
public sealed interface Commit {
  /** Durable: the record has this position in the log and the charges are taken. */
  record Recorded(long logIndex) implements Commit {}

  /**
   * A condition no longer holds and nothing was written; evaluate again with these sums.
   *
   * @param totals the sums of all counters that the conditions name
   */
  record UsageMoved(Map<CounterKey, Long> totals) implements Commit {
    public UsageMoved {
      totals = Map.copyOf(totals);
    }
  }

  /**
   * Nothing was written: a subject of the read set has changed, or the approval is used up or
   * exceeds its limit. Fetch the facts and evaluate again.
   */
  record Superseded() implements Commit {}

  /** The idempotency key belongs to an equal request on the same basis: its decision is valid. */
  record Replayed(StoredRecord original) implements Commit {}

  /** The idempotency key belongs to another request. */
  record KeyTaken() implements Commit {}
}
