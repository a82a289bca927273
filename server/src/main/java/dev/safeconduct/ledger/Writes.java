package dev.safeconduct.ledger;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The accumulated writes of a batch, executed at its end. */
final class Writes {
  /** A row of the counter table: a counter's sum for one expiry time. */
  record CounterRow(CounterKey key, long expiresAtMs) {}

  final long firstIndex;
  final long horizonMs;
  final long nowMs;
  final List<LogEntry> records = new ArrayList<>();

  /** The tiles of the Merkle log that these records complete or extend. */
  List<TileEdge.Row> tiles = List.of();

  /** The changed counter rows, with their new sums. */
  final Map<CounterRow, Long> sums = new LinkedHashMap<>();

  /** The counters with rows that expired by the horizon. */
  final Set<CounterKey> stale = new HashSet<>();

  final Map<CounterKey, HeldKey> claims = new LinkedHashMap<>();
  final List<Change> changes = new ArrayList<>();

  Writes(long firstIndex, long horizonMs, long nowMs) {
    this.firstIndex = firstIndex;
    this.horizonMs = horizonMs;
    this.nowMs = nowMs;
  }

  /** Returns the approximate size of the records. */
  long bytes() {
    long bytes = 0;
    for (LogEntry entry : records) {
      bytes += entry.record().body().length + entry.record().details().length;
    }
    return bytes;
  }

  /** Assigns the next log position to the record. */
  long append(LogEntry entry) {
    records.add(entry);
    return firstIndex + records.size() - 1;
  }
}
