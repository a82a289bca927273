package dev.safeconduct.store;

import java.util.Arrays;

/** One counter's charges: sums by the time they expire. Not safe for use by several threads. */
final class Counter {
  private long[] expiries = new long[2];
  private long[] sums = new long[2];
  private int size;

  /** The sum of what has not expired at the time; {@link Long#MAX_VALUE} when it is more. */
  long total(long atMs) {
    long total = 0;
    for (int i = 0; i < size; i++) {
      if (expiries[i] > atMs) {
        total = saturatedSum(total, sums[i]);
      }
    }
    return total;
  }

  /** Adds to what expires then and gives the new sum. */
  long add(long expiresAtMs, long amount) {
    for (int i = size - 1; i >= 0; i--) {
      if (expiries[i] == expiresAtMs) {
        sums[i] = saturatedSum(sums[i], amount);
        return sums[i];
      }
    }
    if (size == expiries.length) {
      expiries = Arrays.copyOf(expiries, 2 * size);
      sums = Arrays.copyOf(sums, 2 * size);
    }
    expiries[size] = expiresAtMs;
    sums[size++] = amount;
    return amount;
  }

  /**
   * Takes back from what expires then.
   *
   * @return false when there is nothing of it any more, or so much that its sum has stopped growing
   */
  boolean subtract(long expiresAtMs, long amount) {
    for (int i = 0; i < size; i++) {
      if (expiries[i] == expiresAtMs && sums[i] != Long.MAX_VALUE) {
        sums[i] = Math.max(0, sums[i] - amount);
        return true;
      }
    }
    return false;
  }

  /** The sum of what expires then. */
  long sum(long expiresAtMs) {
    for (int i = 0; i < size; i++) {
      if (expiries[i] == expiresAtMs) {
        return sums[i];
      }
    }
    return 0;
  }

  /** Drops what expired at or before the time and says how many sums that were. */
  int forget(long horizonMs) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (expiries[i] > horizonMs) {
        expiries[kept] = expiries[i];
        sums[kept++] = sums[i];
      }
    }
    int dropped = size - kept;
    size = kept;
    return dropped;
  }

  int size() {
    return size;
  }

  static long saturatedSum(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum; // both are at least 0
  }
}
