package dev.safeconduct.store;

import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.audit.tlog.Nodes;
import dev.safeconduct.audit.tlog.Tile;
import dev.safeconduct.audit.tlog.TreeHash;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the Merkle log: tiles as far as they are kept, the right edge from the records. */
record SqlMerkleLog(Writer writer, Reads reads) implements MerkleLog {
  @Override
  public long size() {
    return size(reads);
  }

  static long size(Reads reads) {
    return reads
        .first("SELECT coalesce(max(log_index) + 1, 0) FROM audit", row -> row.getLong(1))
        .orElse(0L);
  }

  @Override
  public Nodes nodes() {
    return nodes(reads);
  }

  static Nodes nodes(Reads reads) {
    Map<List<Long>, byte[]> known = new HashMap<>();
    return (level, index) -> {
      int tileLevel = level / Tile.HEIGHT;
      int within = level % Tile.HEIGHT;
      long first = index << within;
      long tile = first / Tile.FULL;
      int from = (int) (first % Tile.FULL) * TreeHash.BYTES;
      int to = from + (1 << within) * TreeHash.BYTES;
      byte[] hashes = known.get(List.of((long) tileLevel, tile));
      if (hashes == null || hashes.length < to) {
        hashes =
            tileLevel == 0 ? leaves(reads, tile) : kept(reads, tileLevel, tile).orElse(new byte[0]);
        known.put(List.of((long) tileLevel, tile), hashes);
      }
      if (hashes.length < to) {
        throw new IllegalStateException("the log's tile " + tileLevel + "/" + tile + " is short");
      }
      return TreeHash.complete(Arrays.copyOfRange(hashes, from, to));
    };
  }

  @Override
  public Optional<byte[]> tile(Tile tile) {
    if (tile.level() == Tile.ENTRIES) {
      List<byte[]> entries = entries(reads, tile.index());
      return entries.size() < tile.width()
          ? Optional.empty()
          : Optional.of(bundle(entries.subList(0, tile.width())));
    }
    byte[] hashes =
        switch (tile.level()) {
          case 0 -> leaves(reads, tile.index());
          default -> kept(reads, tile.level(), tile.index()).orElse(new byte[0]);
        };
    int wanted = tile.width() * TreeHash.BYTES;
    return hashes.length < wanted ? Optional.empty() : Optional.of(Arrays.copyOf(hashes, wanted));
  }

  /** C2SP tlog-tiles: each entry behind its length as a big-endian uint16. */
  private static byte[] bundle(List<byte[]> entries) {
    var bundle = ByteBuffer.allocate(entries.stream().mapToInt(e -> Short.BYTES + e.length).sum());
    entries.forEach(entry -> bundle.putShort((short) entry.length).put(entry));
    return bundle.array();
  }

  @Override
  public void keep(long size, String note) {
    writer.change(connection ->
        Effect.none(
            Sql.update(
                connection,
                "INSERT INTO log_checkpoint (size, note) VALUES (?, ?) ON CONFLICT DO NOTHING",
                size,
                note)));
  }

  private static byte[] leaves(Reads reads, long tile) {
    return kept(reads, 0, tile)
        .orElseGet(
            () -> TreeHash.joined(entries(reads, tile).stream().map(TreeHash::leaf).toList()));
  }

  private static Optional<byte[]> kept(Reads reads, int level, long tile) {
    return reads.first(
        "SELECT hashes FROM log_tile WHERE level = ? AND tile = ?",
        row -> row.getBytes(1),
        level,
        tile);
  }

  private static List<byte[]> entries(Reads reads, long tile) {
    return reads.list(
        "SELECT commitment FROM audit WHERE log_index >= ? AND log_index < ? ORDER BY log_index",
        row -> row.getBytes(1),
        List.of(tile * Tile.FULL, (tile + 1) * Tile.FULL));
  }
}
