package dev.safeconduct.audit.verify;

import dev.safeconduct.audit.Cosignature;
import dev.safeconduct.audit.CosignedLog;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.ledger.AuditRows;
import dev.safeconduct.ledger.StoredRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The log as stored, read page by page without trust. */
public final class StoredLog {
  private static final int PAGE = 1_000;

  private static final String ROWS =
      AuditRows.SELECT
          + """
          WHERE log_index > :after AND log_index <= :last
          ORDER BY log_index
          LIMIT :limit
          """;

  /** One row of the log. */
  public sealed interface Row {
    /** A row that holds a record. */
    record Sound(StoredRecord record) implements Row {}

    /** A row without a valid record. */
    record Broken(long logIndex, String why) implements Row {}
  }

  /** A stored checkpoint: the size it is stored under, and the signed note. */
  record StoredCheckpoint(long size, String note) {}

  /**
   * A stored cosignature, or the reason why it cannot be parsed.
   *
   * @param size of the checkpoint it is for
   */
  public record Cosigned(long size, Optional<Cosignature> cosignature) {}

  private final Reads reads;

  StoredLog(Reads reads) {
    this.reads = reads;
  }

  /** Passes on every row in log order, in constant memory. */
  public void each(Consumer<Row> row) {
    after(Long.MIN_VALUE, Long.MAX_VALUE, row);
  }

  /** Returns the rows of a part of the log in order, both ends included. */
  public void each(long first, long last, Consumer<Row> row) {
    after(first - 1, last, row);
  }

  private void after(long start, long last, Consumer<Row> row) {
    long after = start;
    while (true) {
      List<Placed> page = reads.list(ROWS, StoredLog::row, after, last, PAGE);
      for (Placed placed : page) {
        row.accept(placed.row());
        after = placed.logIndex();
      }
      if (page.size() < PAGE) {
        return;
      }
    }
  }

  private record Placed(long logIndex, Row row) {}

  /** An altered row may hold any bytes; that is a finding, not a failure. */
  private static Placed row(ResultSet row) throws SQLException {
    long index = row.getLong(1);
    try {
      long allow = row.getLong(8);
      if (allow != 0 && allow != 1) {
        return new Placed(index, new Row.Broken(index, "its outcome is neither yes nor no"));
      }
      return new Placed(index, new Row.Sound(AuditRows.read(row)));
    } catch (SQLException | RuntimeException e) {
      return new Placed(index, new Row.Broken(index, String.valueOf(e.getMessage())));
    }
  }

  /** Returns the stored hashes of a tile. */
  public Optional<byte[]> tile(int level, long index) {
    return MerkleLog.kept(reads, level, index);
  }

  /** Returns the number of stored tiles. */
  public long tiles() {
    return reads.number(Sql.of("SELECT count(*) FROM log_tile"));
  }

  /** Returns the stored cosignatures. */
  public List<Cosigned> cosignatures() {
    return reads.list(
        CosignedLog.SELECT + " ORDER BY size, witness",
        row -> {
          long size = row.getLong("size");
          try {
            return new Cosigned(size, Optional.of(CosignedLog.read(row)));
          } catch (SQLException | RuntimeException e) {
            return new Cosigned(size, Optional.empty());
          }
        });
  }

  /** Returns the stored checkpoints that this service signed, oldest first. */
  public List<StoredCheckpoint> checkpoints() {
    return reads.list(
        "SELECT size, note FROM log_checkpoint ORDER BY size",
        row -> new StoredCheckpoint(row.getLong("size"), row.getString("note")));
  }
}
