package dev.safeconduct.usage;

import java.util.HashMap;
import java.util.Map;

/** A snapshot of counters: the sum of each one's unexpired charges. */
public final class Usage {
  /** Nothing used yet; the snapshot every judgement starts from. */
  public static final Usage NONE = new Usage(Map.of());

  private final Map<CounterKey, Long> totals;

  private Usage(Map<CounterKey, Long> totals) {
    this.totals = totals;
  }

  public static Usage of(Map<CounterKey, Long> totals) {
    return new Usage(Map.copyOf(totals));
  }

  /** The counter's sum; 0 for one the snapshot does not hold. */
  public long total(CounterKey key) {
    Long total = totals.get(key);
    return total == null ? 0 : total;
  }

  /** This snapshot with newer values laid over it. */
  public Usage with(Map<CounterKey, Long> newer) {
    var merged = new HashMap<>(totals);
    merged.putAll(newer);
    return new Usage(Map.copyOf(merged));
  }
}
