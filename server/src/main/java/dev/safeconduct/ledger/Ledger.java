package dev.safeconduct.ledger;

import dev.safeconduct.db.Sql;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;

/** Commits decisions: record, charges and idempotency key together and durably, or nothing. */
public final class Ledger {
  private final Storage storage;

  public Ledger(Storage storage) {
    this.storage = storage;
  }

  /**
   * Waits until the entry is durable or refused. Entries are checked and applied in one total order
   * across all nodes. A claim takes over a key whose equal request was evaluated on another basis.
   *
   * @throws dev.safeconduct.error.ProblemException {@code Unavailable} when the store fails or is
   *     stopping. Then nothing was recorded, or the outcome is unknown and charges may be
   *     over-counted.
   */
  public Commit commit(LedgerEntry entry) {
    return storage.commit(entry);
  }

  /** Returns the counters' sums at the time, read outside any commit. */
  public Usage totals(Collection<CounterKey> keys, long nowMs) {
    var totals = new HashMap<CounterKey, Long>();
    for (CounterKey key : keys) {
      // Summed here and not by the database: a database sum fails on overflow instead of
      // saturating.
      List<Long> amounts =
          storage
              .reads()
              .few(
                  Sql.of(
                      "SELECT amount FROM counter WHERE counter_key = :key AND expires_at > :now",
                      key.bytes(),
                      nowMs),
                  row -> row.getLong(1));
      totals.put(key, amounts.stream().reduce(0L, Counter::saturatedSum));
    }
    return Usage.of(totals);
  }
}
