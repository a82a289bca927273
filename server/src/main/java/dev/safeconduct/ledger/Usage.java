package dev.safeconduct.ledger;

import java.util.HashMap;
import java.util.Map;

/** A snapshot of counters: the sum of each one's unexpired charges. */
public final class Usage {
  /** The empty snapshot, from which every evaluation starts. */
  public static final Usage NONE = new Usage(Map.of());

  private final Map<CounterKey, Long> totals;

  private Usage(Map<CounterKey, Long> totals) {
    this.totals = totals;
  }

  public static Usage of(Map<CounterKey, Long> totals) {
    return new Usage(Map.copyOf(totals));
  }

  /** Returns the counter's sum; 0 for one that is not in the snapshot. */
  public long total(CounterKey key) {
    Long total = totals.get(key);
    return total == null ? 0 : total;
  }

  /** Returns this snapshot with newer values merged over it. */
  public Usage with(Map<CounterKey, Long> newer) {
    var merged = new HashMap<>(totals);
    merged.putAll(newer);
    return new Usage(Map.copyOf(merged));
  }
}
