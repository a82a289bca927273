package dev.safeconduct.tlog;

/** Provides the hashes of complete subtrees. */
@FunctionalInterface
public interface Nodes {
  /**
   * Returns the hash over the leaves from {@code index * 2^level} up to, not including, {@code
   * (index + 1) * 2^level}, all of which are in the log.
   */
  byte[] hash(int level, long index);
}
