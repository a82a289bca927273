package dev.safeconduct.ledger;

import dev.safeconduct.db.Sql;
import dev.safeconduct.tlog.Tile;
import dev.safeconduct.tlog.TreeHash;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The right edge of the Merkle log: the leaf hashes that do not fill a tile yet. It is cached
 * across batches and read again when another node has appended in between.
 */
final class TileEdge {
  private static final String LEAVES =
      """
      SELECT commitment FROM audit
       WHERE log_index >= :first AND log_index < :end
       ORDER BY log_index
      """;

  private static final String PUT =
      """
      INSERT INTO log_tile (level, tile, hashes)
      VALUES (:level, :tile, :hashes)
          ON CONFLICT (level, tile) DO UPDATE SET hashes = excluded.hashes
      """;

  /**
   * A stored tile: full tiles of leaf hashes, and full or partial tiles of the levels above.
   *
   * @param hashes 32 bytes each, one after the other
   */
  @SuppressWarnings("ArrayRecordComponent") // written once, never compared
  record Row(int level, long index, byte[] hashes) {
    void put(Connection connection) throws SQLException {
      Sql.of(PUT, level, index, hashes).update(connection);
    }
  }

  private final Connection connection;
  private final List<byte[]> pending = new ArrayList<>(Tile.FULL);
  private long size = -1;

  TileEdge(Connection connection) {
    this.connection = connection;
  }

  /** Drops the cached edge, which may not have been committed. */
  void forget() {
    size = -1;
  }

  /** Returns the tiles to write when the entries follow the first {@code first} ones. */
  List<Row> append(long first, List<LogEntry> entries) throws SQLException {
    if (entries.isEmpty()) {
      return List.of();
    }
    if (size != first) {
      reload(first);
    }
    var rows = new ArrayList<Row>();
    for (LogEntry entry : entries) {
      pending.add(entry.commitment().leafHash());
      size++;
      if (pending.size() == Tile.FULL) {
        complete(0, size / Tile.FULL - 1, TreeHash.joined(pending), rows);
        pending.clear();
      }
    }
    return rows;
  }

  private void reload(long first) throws SQLException {
    pending.clear();
    pending.addAll(
        Sql.of(LEAVES, first - first % Tile.FULL, first)
            .list(connection, row -> TreeHash.leaf(row.getBytes(1))));
    size = first;
  }

  /** A full tile's root is added to the tile above it, which may become full as well. */
  private void complete(int level, long index, byte[] hashes, List<Row> rows) throws SQLException {
    rows.add(new Row(level, index, hashes));
    long parent = index / Tile.FULL;
    byte[] before = index % Tile.FULL == 0 ? new byte[0] : stored(level + 1, parent, rows);
    byte[] above = Arrays.copyOf(before, before.length + TreeHash.BYTES);
    System.arraycopy(TreeHash.complete(hashes), 0, above, before.length, TreeHash.BYTES);
    if (above.length == Tile.FULL * TreeHash.BYTES) {
      complete(level + 1, parent, above, rows);
    } else {
      rows.add(new Row(level + 1, parent, above));
    }
  }

  private byte[] stored(int level, long index, List<Row> rows) throws SQLException {
    for (Row row : rows.reversed()) {
      if (row.level() == level && row.index() == index) {
        return row.hashes();
      }
    }
    return Sql.of("SELECT hashes FROM log_tile WHERE level = :level AND tile = :tile", level, index)
        .list(connection, row -> row.getBytes(1))
        .getFirst();
  }
}
