package dev.safeconduct.audit.stream;

import dev.safeconduct.db.Sql;
import dev.safeconduct.ledger.AuditRows;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.ledger.StoredRecord;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The log as streams read it: in order, without gaps, in bounded batches. */
final class StreamedLog {
  /** The most bytes of a batch; a larger record is a batch of its own. */
  private static final long MOST_BYTES = 1 << 20;

  private static final String SIZE = "SELECT coalesce(max(log_index) + 1, 0) FROM audit";

  private static final String LENGTHS =
      """
      SELECT log_index, length(body) + length(details)
        FROM audit
       WHERE log_index >= :next
       ORDER BY log_index
       LIMIT :limit
      """;

  private static final String RECORDS =
      AuditRows.SELECT + "WHERE log_index >= :next AND log_index < :end ORDER BY log_index";

  private final Storage store;

  StreamedLog(Storage store) {
    this.store = store;
  }

  private record Length(long index, long bytes) {}

  long size() {
    return store.number(Sql.of(SIZE));
  }

  /** Returns whether the database holds another log than the one that was seen. */
  boolean isRefused() {
    return store.seenLog().isRefused();
  }

  /** Returns whether decisions wait for the writer. */
  boolean isBusy() {
    return store.waiting() > 0;
  }

  /** Returns a record's commitment as hex digits. */
  Optional<String> commitment(long index) {
    return store.first(
        "SELECT commitment FROM audit WHERE log_index = :index",
        row -> HexFormat.of().formatHex(row.getBytes(1)),
        index);
  }

  /** Returns when the record was made. */
  Optional<Instant> time(long index) {
    return store.first(
        "SELECT at_ms FROM audit WHERE log_index = :index",
        row -> Instant.ofEpochMilli(row.getLong(1)),
        index);
  }

  /**
   * Records in a row.
   *
   * @param more whether the log had others after them
   */
  record Batch(List<StoredRecord> records, boolean more) {
    Batch {
      records = List.copyOf(records);
    }
  }

  /** Returns the next records: at most so many, and about a megabyte. */
  Batch read(long next, int most) {
    List<Length> lengths =
        store.list(LENGTHS, row -> new Length(row.getLong(1), row.getLong(2)), next, most);
    long end = next;
    long bytes = 0;
    for (Length each : lengths) {
      bytes += each.bytes();
      if (end > next && bytes > MOST_BYTES) {
        return new Batch(store.list(RECORDS, AuditRows::read, next, end), true);
      }
      end = each.index() + 1;
    }
    return lengths.isEmpty()
        ? new Batch(List.of(), false)
        : new Batch(store.list(RECORDS, AuditRows::read, next, end), lengths.size() == most);
  }
}
