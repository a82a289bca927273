package dev.safeconduct.tlog;

import java.security.MessageDigest;
import java.util.List;

/** Verifies proofs against roots, as RFC 9162 sections 2.1.3.2 and 2.1.4.2 describe. */
public final class Proofs {
  private Proofs() {}

  /** Returns whether the path proves that the leaf is at the index in the tree with this root. */
  public static boolean includes(
      byte[] leafHash, long index, long size, List<byte[]> path, byte[] root) {
    if (index < 0 || index >= size || !sound(path)) {
      return false;
    }
    long place = index;
    long last = size - 1;
    byte[] hash = leafHash;
    for (byte[] sibling : path) {
      if (last == 0) {
        return false;
      }
      if ((place & 1) == 1 || place == last) {
        hash = TreeHash.node(sibling, hash);
        while ((place & 1) == 0 && place != 0) {
          place >>= 1;
          last >>= 1;
        }
      } else {
        hash = TreeHash.node(hash, sibling);
      }
      place >>= 1;
      last >>= 1;
    }
    return last == 0 && MessageDigest.isEqual(hash, root);
  }

  /** Returns whether the path proves that the older tree is a prefix of the newer one. */
  public static boolean consistent(
      long older, byte[] olderRoot, long newer, byte[] newerRoot, List<byte[]> path) {
    if (older < 1 || older > newer || !sound(path)) {
      return false;
    }
    if (older == newer) {
      return path.isEmpty() && MessageDigest.isEqual(olderRoot, newerRoot);
    }
    long place = older - 1;
    long last = newer - 1;
    while ((place & 1) == 1) {
      place >>= 1;
      last >>= 1;
    }
    // A complete older tree is a subtree of the newer one, and its root begins the proof.
    boolean complete = Long.bitCount(older) == 1;
    if (!complete && path.isEmpty()) {
      return false;
    }
    byte[] first = complete ? olderRoot : path.getFirst();
    byte[] oldHash = first;
    byte[] newHash = first;
    for (byte[] sibling : complete ? path : path.subList(1, path.size())) {
      if (last == 0) {
        return false;
      }
      if ((place & 1) == 1 || place == last) {
        oldHash = TreeHash.node(sibling, oldHash);
        newHash = TreeHash.node(sibling, newHash);
        while ((place & 1) == 0 && place != 0) {
          place >>= 1;
          last >>= 1;
        }
      } else {
        newHash = TreeHash.node(newHash, sibling);
      }
      place >>= 1;
      last >>= 1;
    }
    return last == 0
        && MessageDigest.isEqual(oldHash, olderRoot)
        && MessageDigest.isEqual(newHash, newerRoot);
  }

  private static boolean sound(List<byte[]> path) {
    return path.size() <= Long.SIZE
        && path.stream().allMatch(hash -> hash.length == TreeHash.BYTES);
  }
}
