package dev.safeconduct.audit;

import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.Nodes;
import dev.safeconduct.tlog.Tile;
import dev.safeconduct.tlog.Tree;
import dev.safeconduct.tlog.TreeHash;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log as a Merkle tree over its records' commitments, in commit order. Hashes come from
 * the stored tiles, and for the right edge from the records.
 */
public final class MerkleLog {
  public static final String TILE =
      "SELECT hashes FROM log_tile WHERE level = :level AND tile = :tile";

  private static final String ENTRIES =
      """
      SELECT commitment FROM audit
       WHERE log_index >= :first AND log_index < :end
       ORDER BY log_index
      """;

  private static final Logger LOG = LoggerFactory.getLogger(MerkleLog.class);

  private final Storage storage;

  public MerkleLog(Storage storage) {
    this.storage = storage;
  }

  /** Returns the number of durable records. */
  public long size() {
    return size(storage.reads());
  }

  /**
   * Returns the tree for the next checkpoint.
   *
   * @param last the last published one, if it is to be extended
   * @throws dev.safeconduct.error.ProblemException {@code Unavailable} when the log does not extend
   *     it
   */
  Tree grown(Optional<Checkpoint> last) {
    var tree = new Tree(nodes(), storage.sizeToPublish());
    if (last.isPresent() && !isExtended(last.get(), tree.size())) {
      LOG.error(
          "The log of {} records does not extend the published checkpoint of {}; no other is"
              + " published. `audit verify` shows what has changed.",
          tree.size(),
          last.get().size());
      throw StoreUnavailable.otherLog().toException();
    }
    return tree;
  }

  private boolean isExtended(Checkpoint last, long size) {
    return last.size() <= size && Arrays.equals(new Tree(nodes(), last.size()).root(), last.root());
  }

  /** Returns how often an operator has accepted a shorter log since the start. */
  int accepted() {
    return storage.seenLog().accepted();
  }

  public static long size(Reads reads) {
    return reads.number(Sql.of("SELECT coalesce(max(log_index) + 1, 0) FROM audit"));
  }

  /** The tree's complete subtrees; created for one proof, as it caches its reads. */
  public Nodes nodes() {
    return nodes(storage.reads());
  }

  public static Nodes nodes(Reads reads) {
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

  /**
   * Returns the tile's concatenated hashes (of entry tiles: the 32-byte entries); empty when the
   * log is too short.
   */
  public Optional<byte[]> tile(Tile tile) {
    Reads reads = storage.reads();
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

  /** Encodes entries as C2SP tlog-tiles: each after its length as a big-endian uint16. */
  private static byte[] bundle(List<byte[]> entries) {
    var bundle = ByteBuffer.allocate(entries.stream().mapToInt(e -> Short.BYTES + e.length).sum());
    entries.forEach(entry -> bundle.putShort((short) entry.length).put(entry));
    return bundle.array();
  }

  /** Stores a signed checkpoint, to compare the log with it later. */
  public void keep(long size, String note) {
    storage.update(keeping(size, note));
  }

  /** The stored checkpoint of the most records: the size it is stored under, and its note. */
  public record Newest(long size, String note) {}

  /** Returns the stored checkpoint of the most records. */
  public Optional<Newest> newestCheckpoint() {
    return storage.first(
        "SELECT size, note FROM log_checkpoint ORDER BY size DESC LIMIT 1",
        row -> new Newest(row.getLong(1), row.getString(2)));
  }

  static Sql keeping(long size, String note) {
    return Sql.of(
        "INSERT INTO log_checkpoint (size, note) VALUES (:size, :note) ON CONFLICT DO NOTHING",
        size,
        note);
  }

  private static byte[] leaves(Reads reads, long tile) {
    return kept(reads, 0, tile)
        .orElseGet(
            () -> TreeHash.joined(entries(reads, tile).stream().map(TreeHash::leaf).toList()));
  }

  /** Returns the stored hashes of a tile, which may be fewer than a full tile has. */
  public static Optional<byte[]> kept(Reads reads, int level, long tile) {
    return reads.first(TILE, row -> row.getBytes(1), level, tile);
  }

  private static List<byte[]> entries(Reads reads, long tile) {
    return reads.list(ENTRIES, row -> row.getBytes(1), tile * Tile.FULL, (tile + 1) * Tile.FULL);
  }
}
