package dev.safeconduct.audit.tlog;

/** Gives the hashes of complete subtrees. */
@FunctionalInterface
public interface Nodes {
  /**
   * The hash over the leaves {@code index * 2^level} up to, not including, {@code (index + 1) *
   * 2^level}, all of which are in the log.
   */
  byte[] hash(int level, long index);
}
