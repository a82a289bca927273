package dev.safeconduct.verify;

import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.CounterPrecondition;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.Usage;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** Looks up counters for outcomes whose assumptions are not checked by a commit. */
@FunctionalInterface
public interface UsageLookup {
  /** Returns the sums of the counters at the time. */
  Usage totals(Collection<CounterKey> keys, Instant at);

  /** The counters of the ledger. */
  static UsageLookup of(Ledger ledger) {
    return (keys, at) -> ledger.totals(keys, at.toEpochMilli());
  }

  /** Returns the current counters; empty if the conditions hold and the outcome is valid. */
  default Optional<Usage> corrected(Usage usage, List<CounterPrecondition> conditions, Instant at) {
    if (conditions.isEmpty()) {
      return Optional.empty();
    }
    Usage present =
        totals(conditions.stream().map(CounterPrecondition::key).distinct().toList(), at);
    var newer = new HashMap<CounterKey, Long>();
    for (CounterPrecondition condition : conditions) {
      long total = present.total(condition.key());
      if (total > condition.atMost()) {
        newer.put(condition.key(), total);
      }
    }
    return newer.isEmpty() ? Optional.empty() : Optional.of(usage.with(newer));
  }
}
