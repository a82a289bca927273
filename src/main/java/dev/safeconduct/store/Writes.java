package dev.safeconduct.store;

import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.LogEntry;
import dev.safeconduct.usage.CounterKey;
import dev.safeconduct.usage.Reservation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a batch adds up to; written at its end. */
final class Writes {
  final long firstIndex;
  final long horizonMs;
  final long nowMs;
  final List<LogEntry> records = new ArrayList<>();

  /** Tiles of the Merkle log that these records complete or extend. */
  List<TileRow> tiles = List.of();

  /** The counters' rows that changed, with their new sums. */
  final Map<Slot, Long> sums = new LinkedHashMap<>();

  /** Counters with rows that expired by the horizon. */
  final Set<CounterKey> stale = new HashSet<>();

  final Map<CounterKey, HeldKey> claims = new LinkedHashMap<>();
  final List<Reservation> reservations = new ArrayList<>();
  final List<Change> changes = new ArrayList<>();

  Writes(long firstIndex, long horizonMs, long nowMs) {
    this.firstIndex = firstIndex;
    this.horizonMs = horizonMs;
    this.nowMs = nowMs;
  }

  /** Gives the record the next place in the log. */
  long append(LogEntry entry) {
    records.add(entry);
    return firstIndex + records.size() - 1;
  }
}
