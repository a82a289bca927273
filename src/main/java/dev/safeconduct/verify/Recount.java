package dev.safeconduct.verify;

import dev.safeconduct.usage.Condition;
import dev.safeconduct.usage.CounterKey;
import dev.safeconduct.usage.Ledger;
import dev.safeconduct.usage.Usage;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** Looks the counters up that an outcome rests on, where no commit will hold it to them. */
final class Recount {
  private Recount() {}

  /** Those counters as they are now; empty when the outcome was judged by these already. */
  static Optional<Usage> of(Ledger ledger, Usage usage, List<Condition> conditions, Instant now) {
    var keys = conditions.stream().map(Condition::key).distinct().toList();
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    Usage present = ledger.totals(keys, now.toEpochMilli());
    var newer = new HashMap<CounterKey, Long>();
    for (Condition condition : conditions) {
      long total = present.total(condition.key());
      if (total > condition.atMost()) {
        newer.put(condition.key(), total);
      }
    }
    return newer.isEmpty() ? Optional.empty() : Optional.of(usage.with(newer));
  }
}
