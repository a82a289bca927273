package dev.safeconduct.store;

import dev.safeconduct.usage.Commit;
import dev.safeconduct.usage.CounterKey;
import dev.safeconduct.usage.Ledger;
import dev.safeconduct.usage.LedgerEntry;
import dev.safeconduct.usage.Usage;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;

/** The ledger: commits go to the writer, sums are read beside it. */
record SqlLedger(Writer writer, Reads reads) implements Ledger {
  @Override
  public Commit commit(LedgerEntry entry) {
    return writer.commit(entry);
  }

  @Override
  public Usage totals(Collection<CounterKey> keys, long nowMs) {
    var totals = new HashMap<CounterKey, Long>();
    for (CounterKey key : keys) {
      // Added up here, not by the database: its sums fail where they should stop at the greatest.
      List<Long> amounts =
          reads.list(
              "SELECT amount FROM counter WHERE counter_key = ? AND expires_at > ?",
              row -> row.getLong(1),
              List.of(key.bytes(), nowMs));
      totals.put(key, amounts.stream().reduce(0L, Counter::saturatedSum));
    }
    return Usage.of(totals);
  }
}
