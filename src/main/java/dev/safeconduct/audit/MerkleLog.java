package dev.safeconduct.audit;

import dev.safeconduct.audit.tlog.Nodes;
import dev.safeconduct.audit.tlog.Tile;
import java.util.Optional;

/** The audit log as a Merkle tree over its records' commitments, in the order of their commits. */
public interface MerkleLog {
  /** How many records are durable. */
  long size();

  /** The tree's complete subtrees; made for one proof, as it remembers what it has read. */
  Nodes nodes();

  /**
   * The tile's hashes (of entry tiles: the 32-byte entries), one after the other; empty when the
   * log has not so many.
   */
  Optional<byte[]> tile(Tile tile);

  /** Keeps a signed checkpoint, to be held against the log later. */
  void keep(long size, String note);
}
