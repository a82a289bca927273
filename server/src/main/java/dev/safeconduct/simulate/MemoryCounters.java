package dev.safeconduct.simulate;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.verify.UsageLookup;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Counters that are kept in memory and charged as the service would charge them. */
public final class MemoryCounters implements UsageLookup {
  private final Map<CounterKey, Amounts> counters = new HashMap<>();

  /**
   * Takes what the outcome charges.
   *
   * @param released when it is given back, if it does not count until it expires
   */
  public void charge(Outcome outcome, Optional<Instant> released) {
    long end = released.map(Instant::toEpochMilli).orElse(Long.MAX_VALUE);
    if (outcome instanceof Outcome.Allow allow) {
      for (Charge charge : allow.charges()) {
        counters
            .computeIfAbsent(charge.key(), _ -> new Amounts())
            .add(Math.min(charge.expiresAtMs(), end), charge.amount());
      }
    }
  }

  /** Removes the charges that have expired by then. */
  public void forget(Instant by) {
    counters.values().removeIf(amounts -> amounts.forget(by.toEpochMilli()));
  }

  @Override
  public Usage totals(Collection<CounterKey> keys, Instant at) {
    var totals = new HashMap<CounterKey, Long>();
    for (CounterKey key : keys) {
      totals.put(key, total(key, at));
    }
    return Usage.of(totals);
  }

  /** Returns the counter's value at the time. */
  public long total(CounterKey key, Instant at) {
    Amounts amounts = counters.get(key);
    return amounts == null ? 0 : amounts.total(at.toEpochMilli());
  }

  /** A counter's amounts by when they stop counting, and their sum at the latest time asked for. */
  private static final class Amounts {
    private final TreeMap<Long, Long> byEnd = new TreeMap<>();
    private long at = Long.MIN_VALUE;
    private long sum;

    void add(long end, long amount) {
      byEnd.merge(end, amount, Long::sum);
      sum += end > at ? amount : 0;
    }

    long total(long now) {
      if (now < at) {
        return sum + sum(byEnd.subMap(now, false, at, true));
      }
      if (now > at) {
        sum -= sum(byEnd.subMap(at, false, now, true));
        at = now;
      }
      return sum;
    }

    /** Returns whether nothing is left. */
    boolean forget(long by) {
      total(Math.max(by, at));
      byEnd.headMap(by, true).clear();
      return byEnd.isEmpty();
    }

    private static long sum(SortedMap<Long, Long> amounts) {
      return amounts.values().stream().mapToLong(Long::longValue).sum();
    }
  }
}
