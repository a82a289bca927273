package dev.safeconduct.store;

import dev.safeconduct.audit.LogEntry;
import dev.safeconduct.audit.tlog.Tile;
import dev.safeconduct.audit.tlog.TreeHash;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The right edge of the Merkle log: the leaf hashes that do not fill a tile yet. Remembered from
 * batch to batch, and read again when another node has appended in between.
 */
final class TileEdge {
  private final Connection connection;
  private final List<byte[]> pending = new ArrayList<>(Tile.FULL);
  private long size = -1;

  TileEdge(Connection connection) {
    this.connection = connection;
  }

  /** What was remembered may not have been committed. */
  void forget() {
    size = -1;
  }

  /** The tiles to write when the entries follow the first {@code first} ones. */
  List<TileRow> append(long first, List<LogEntry> entries) throws SQLException {
    if (entries.isEmpty()) {
      return List.of();
    }
    if (size != first) {
      reload(first);
    }
    var rows = new ArrayList<TileRow>();
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
        Sql.list(
            connection,
            "SELECT commitment FROM audit WHERE log_index >= ? AND log_index < ? ORDER BY log_index",
            row -> TreeHash.leaf(row.getBytes(1)),
            List.of(first - first % Tile.FULL, first)));
    size = first;
  }

  /** A full tile's root goes into the tile above it, which may become full as well. */
  private void complete(int level, long index, byte[] hashes, List<TileRow> rows)
      throws SQLException {
    rows.add(new TileRow(level, index, hashes));
    long parent = index / Tile.FULL;
    byte[] before = index % Tile.FULL == 0 ? new byte[0] : stored(level + 1, parent, rows);
    byte[] above = Arrays.copyOf(before, before.length + TreeHash.BYTES);
    System.arraycopy(TreeHash.complete(hashes), 0, above, before.length, TreeHash.BYTES);
    if (above.length == Tile.FULL * TreeHash.BYTES) {
      complete(level + 1, parent, above, rows);
    } else {
      rows.add(new TileRow(level + 1, parent, above));
    }
  }

  private byte[] stored(int level, long index, List<TileRow> rows) throws SQLException {
    for (TileRow row : rows.reversed()) {
      if (row.level() == level && row.index() == index) {
        return row.hashes();
      }
    }
    return Sql.list(
            connection,
            "SELECT hashes FROM log_tile WHERE level = ? AND tile = ?",
            row -> row.getBytes(1),
            List.of(level, index))
        .getFirst();
  }
}
