package dev.safeconduct.tlog;

import dev.safeconduct.text.Sha256;
import java.util.List;

/** The hashes of the tree: SHA-256 with the prefixes of RFC 6962 section 2.1. */
public final class TreeHash {
  /** The length of every hash in bytes. */
  public static final int BYTES = Sha256.BYTES;

  private static final byte[] LEAF = {0};
  private static final byte NODE = 1;

  private TreeHash() {}

  /** Returns the hash of a leaf that holds the entry. */
  public static byte[] leaf(byte[] entry) {
    return Sha256.of(LEAF, entry);
  }

  /** Returns the hash of a node over its two children. */
  public static byte[] node(byte[] left, byte[] right) {
    var node = new byte[1 + left.length + right.length];
    node[0] = NODE;
    System.arraycopy(left, 0, node, 1, left.length);
    System.arraycopy(right, 0, node, 1 + left.length, right.length);
    return Sha256.of(node);
  }

  /** Returns the root of the tree without leaves. */
  public static byte[] empty() {
    return Sha256.of(new byte[0]);
  }

  /**
   * Returns the root over a complete subtree's hashes.
   *
   * @param hashes the concatenated hashes; their number is a power of two
   */
  public static byte[] complete(byte[] hashes) {
    byte[] level = hashes;
    var node = new byte[1 + 2 * BYTES];
    node[0] = NODE;
    while (level.length > BYTES) {
      var above = new byte[level.length / 2];
      for (int to = 0; to < above.length; to += BYTES) {
        System.arraycopy(level, 2 * to, node, 1, 2 * BYTES);
        System.arraycopy(Sha256.of(node), 0, above, to, BYTES);
      }
      level = above;
    }
    return level;
  }

  /** Concatenates the hashes. */
  public static byte[] joined(List<byte[]> hashes) {
    var all = new byte[hashes.size() * BYTES];
    for (int i = 0; i < hashes.size(); i++) {
      System.arraycopy(hashes.get(i), 0, all, i * BYTES, BYTES);
    }
    return all;
  }
}
