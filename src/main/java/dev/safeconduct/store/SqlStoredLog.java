package dev.safeconduct.store;

import dev.safeconduct.audit.StoredLog;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The log's tables, page by page. */
record SqlStoredLog(Reads reads) implements StoredLog {
  private static final int PAGE = 1_000;

  @Override
  public void each(Consumer<Row> row) {
    after(Long.MIN_VALUE, Long.MAX_VALUE, row);
  }

  @Override
  public void each(long first, long last, Consumer<Row> row) {
    after(first - 1, last, row);
  }

  private void after(long start, long last, Consumer<Row> row) {
    long after = start;
    while (true) {
      List<Placed> page =
          reads.list(
              "SELECT "
                  + AuditRows.COLUMNS
                  + " FROM audit WHERE log_index > ? AND log_index <= ? ORDER BY log_index LIMIT ?",
              SqlStoredLog::row,
              List.of(after, last, PAGE));
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

  /** A row that was altered may hold anything; that is a finding, not a failure. */
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

  @Override
  public Optional<byte[]> tile(int level, long index) {
    return reads.first(
        "SELECT hashes FROM log_tile WHERE level = ? AND tile = ?",
        row -> row.getBytes(1),
        level,
        index);
  }

  @Override
  public long tiles() {
    return reads.first("SELECT count(*) FROM log_tile", row -> row.getLong(1)).orElse(0L);
  }

  @Override
  public List<Cosigned> cosignatures() {
    return reads.list(
        "SELECT " + SqlCosignatures.COLUMNS + " FROM log_cosignature ORDER BY size, witness",
        row -> {
          try {
            return new Cosigned(row.getLong(1), Optional.of(SqlCosignatures.read(row)));
          } catch (SQLException | RuntimeException e) {
            return new Cosigned(row.getLong(1), Optional.empty());
          }
        },
        List.of());
  }

  @Override
  public List<Kept> checkpoints() {
    return reads.list(
        "SELECT size, note FROM log_checkpoint ORDER BY size",
        row -> new Kept(row.getLong(1), row.getString(2)),
        List.of());
  }
}
