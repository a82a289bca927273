package dev.safeconduct.store;

import dev.safeconduct.usage.CounterKey;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The counters used last, as the only process on a SQLite file may remember them. Must be emptied
 * when a transaction that changed one is undone.
 */
final class CounterCache {
  private final Map<CounterKey, Counter> counters = new LinkedHashMap<>(1024, 0.75f, true);
  private final int capacity;

  CounterCache(int capacity) {
    this.capacity = capacity;
  }

  @Nullable Counter get(CounterKey key) {
    return counters.get(key);
  }

  void put(CounterKey key, Counter counter) {
    counters.put(key, counter);
  }

  /** Forgets those longest unused; only between transactions. */
  void trim() {
    Iterator<Counter> oldest = counters.values().iterator();
    while (counters.size() > capacity) {
      oldest.next();
      oldest.remove();
    }
  }

  void clear() {
    counters.clear();
  }
}
