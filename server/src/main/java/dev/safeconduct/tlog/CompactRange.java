package dev.safeconduct.tlog;

import java.util.ArrayList;
import java.util.List;

/**
 * An append-only tree. Of all hashes it stores only the roots of the largest complete subtrees, at
 * most one of each size.
 */
public final class CompactRange {
  private final List<byte[]> roots = new ArrayList<>();
  private long size;

  public long size() {
    return size;
  }

  public void append(byte[] leafHash) {
    byte[] hash = leafHash;
    for (long merged = size; (merged & 1) == 1; merged >>= 1) {
      hash = TreeHash.node(roots.removeLast(), hash);
    }
    roots.add(hash);
    size++;
  }

  /** Returns the root of the tree over all appended leaves. */
  public byte[] root() {
    if (roots.isEmpty()) {
      return TreeHash.empty();
    }
    byte[] hash = roots.getLast();
    for (int i = roots.size() - 2; i >= 0; i--) {
      hash = TreeHash.node(roots.get(i), hash);
    }
    return hash;
  }
}
