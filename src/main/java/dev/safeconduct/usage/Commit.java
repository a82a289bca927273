package dev.safeconduct.usage;

import dev.safeconduct.audit.StoredRecord;
import java.util.Map;

/** What became of a {@link LedgerEntry}. */
public sealed interface Commit {
  /** Durable: the record has this place in the log and the charges are taken. */
  record Done(long logIndex) implements Commit {}

  /**
   * A condition no longer holds and nothing was written; judge again with these sums.
   *
   * @param totals the sums of all counters the conditions name
   */
  record UsageMoved(Map<CounterKey, Long> totals) implements Commit {
    public UsageMoved {
      totals = Map.copyOf(totals);
    }
  }

  /**
   * A subject of the fence has changed, or the approval is used up or one too many, and nothing was
   * written; fetch the facts and judge again.
   */
  record Superseded() implements Commit {}

  /** The idempotency key belongs to an equal request on the same basis: its decision stands. */
  record Replayed(StoredRecord original) implements Commit {}

  /** The idempotency key belongs to another request. */
  record KeyTaken() implements Commit {}
}
