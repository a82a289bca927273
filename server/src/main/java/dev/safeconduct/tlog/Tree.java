package dev.safeconduct.tlog;

import java.util.ArrayList;
import java.util.List;

/**
 * The tree over the first {@code size} leaves of a log, and its proofs (RFC 6962 section 2.1).
 * Every proof uses hashes of complete subtrees only, which never change as the log grows.
 */
public final class Tree {
  private final Nodes nodes;
  private final long size;

  /** Creates a tree of {@code size} leaves; {@code nodes} provides its complete subtrees. */
  public Tree(Nodes nodes, long size) {
    if (size < 0) {
      throw new IllegalArgumentException("a tree has no negative size");
    }
    this.nodes = nodes;
    this.size = size;
  }

  public long size() {
    return size;
  }

  public byte[] root() {
    return size == 0 ? TreeHash.empty() : range(0, size);
  }

  /**
   * Returns the audit path of a leaf, from the leaf's sibling to the root's child.
   *
   * @throws IndexOutOfBoundsException when the leaf is not in this tree
   */
  public List<byte[]> inclusion(long index) {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException("leaf " + index + " of a tree of " + size);
    }
    var path = new ArrayList<byte[]>();
    inclusion(index, 0, size, path);
    return path;
  }

  private void inclusion(long index, long from, long to, List<byte[]> path) {
    if (to - from == 1) {
      return;
    }
    long middle = from + split(to - from);
    if (index < middle) {
      inclusion(index, from, middle, path);
      path.add(range(middle, to));
    } else {
      inclusion(index, middle, to, path);
      path.add(range(from, middle));
    }
  }

  /**
   * Returns a proof that the tree over the first {@code older} leaves is a prefix of this one.
   *
   * @throws IndexOutOfBoundsException when the older tree is empty or larger than this one
   */
  public List<byte[]> consistency(long older) {
    if (older < 1 || older > size) {
      throw new IndexOutOfBoundsException("a tree of " + older + " in a tree of " + size);
    }
    var path = new ArrayList<byte[]>();
    consistency(older, 0, size, true, path);
    return path;
  }

  private void consistency(long older, long from, long to, boolean whole, List<byte[]> path) {
    if (older == to) {
      if (!whole) {
        path.add(range(from, to));
      }
      return;
    }
    long middle = from + split(to - from);
    if (older <= middle) {
      consistency(older, from, middle, whole, path);
      path.add(range(middle, to));
    } else {
      consistency(older, middle, to, false, path);
      path.add(range(from, middle));
    }
  }

  /** Returns the hash over a range of leaves that begins at a boundary of subtrees of its size. */
  private byte[] range(long from, long to) {
    long width = to - from;
    if (Long.bitCount(width) == 1) {
      int level = Long.numberOfTrailingZeros(width);
      return nodes.hash(level, from >> level);
    }
    long middle = from + split(width);
    return TreeHash.node(range(from, middle), range(middle, to));
  }

  /** Returns the greatest power of two below the number of leaves, which is at least two. */
  private static long split(long leaves) {
    return Long.highestOneBit(leaves - 1);
  }
}
