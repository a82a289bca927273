package dev.safeconduct.simulate.suggest;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the evidence shows for one limit, in bounded memory. */
final class Seen {
  /** Where there are more different entries, no list of them is suggested. */
  static final int MOST_ENTRIES = 4_096;

  /** Numbers within five percent share a bucket. */
  private static final double BUCKET = Math.log(1.05);

  private final TreeMap<String, Long> entries = new TreeMap<>();
  private final TreeMap<Integer, Long> buckets = new TreeMap<>();
  private final Map<String, Seen> byKey = new HashMap<>();
  private long times;
  private double most = -1;
  private boolean describable = true;

  void add(List<String> some) {
    times++;
    if (!describable) {
      return;
    }
    for (String entry : some) {
      entries.merge(entry, 1L, Long::sum);
    }
    if (entries.size() > MOST_ENTRIES) {
      entries.clear();
      describable = false;
    }
  }

  void add(double number) {
    times++;
    most = Math.max(most, number);
    buckets.merge(number < 1 ? 0 : (int) Math.ceil(Math.log(number) / BUCKET), 1L, Long::sum);
  }

  /** The limits below a key of a map. */
  Seen at(String key) {
    if (byKey.size() > MOST_ENTRIES) {
      describable = false;
    }
    return byKey.computeIfAbsent(key, _ -> new Seen());
  }

  void indescribable() {
    describable = false;
  }

  boolean isDescribable() {
    return describable;
  }

  Map<String, Seen> byKey() {
    return byKey;
  }

  Map<String, Long> entries() {
    return entries;
  }

  long times() {
    return times;
  }

  double most() {
    return most;
  }

  /** Returns about the number that 99 of 100 do not exceed. */
  double p99() {
    long left = times - times / 100;
    for (Map.Entry<Integer, Long> bucket : buckets.entrySet()) {
      left -= bucket.getValue();
      if (left <= 0) {
        return Math.min(most, Math.ceil(Math.exp(bucket.getKey() * BUCKET)));
      }
    }
    return most;
  }
}
