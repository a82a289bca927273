package dev.safeconduct.tlog;

import dev.safeconduct.text.Sha256;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;

/** The hashes of the tree: SHA-256 with the prefixes of RFC 6962 section 2.1. */
public final class TreeHash {
  /** The length of every hash in bytes. */
  public static final int BYTES = Sha256.BYTES;

  private static final byte LEAF = 0;
  private static final byte NODE = 1;

  private TreeHash() {}

  /** Returns the hash of a leaf that holds the entry. */
  public static byte[] leaf(byte[] entry) {
    MessageDigest sha = Sha256.begin();
    sha.update(LEAF);
    return sha.digest(entry);
  }

  /** Returns the hash of a node over its two children. */
  public static byte[] node(byte[] left, byte[] right) {
    MessageDigest sha = Sha256.begin();
    sha.update(NODE);
    sha.update(left);
    return sha.digest(right);
  }

  /** Returns the root of the tree without leaves. */
  public static byte[] empty() {
    return Sha256.begin().digest();
  }

  /**
   * Returns the root over a complete subtree's hashes.
   *
   * @param hashes the concatenated hashes; their number is a power of two
   */
  public static byte[] complete(byte[] hashes) {
    var level = new byte[hashes.length / BYTES][];
    for (int i = 0; i < level.length; i++) {
      level[i] = Arrays.copyOfRange(hashes, i * BYTES, (i + 1) * BYTES);
    }
    while (level.length > 1) {
      var above = new byte[level.length / 2][];
      for (int i = 0; i < above.length; i++) {
        above[i] = node(level[2 * i], level[2 * i + 1]);
      }
      level = above;
    }
    return level[0];
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
