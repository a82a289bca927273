package dev.safeconduct.ledger;

import java.util.Arrays;

/** The charges of one counter, as sums by expiry time. Not thread-safe. */
final class Counter {
  private long[] expiries = new long[2];
  private long[] sums = new long[2];
  private int size;

  /** Returns the sum of unexpired charges at the time; {@link Long#MAX_VALUE} on overflow. */
  long total(long atMs) {
    long total = 0;
    for (int i = 0; i < size; i++) {
      if (expiries[i] > atMs) {
        total = saturatedSum(total, sums[i]);
      }
    }
    return total;
  }

  /** Adds to the charges with that expiry and returns their new sum. */
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
   * Subtracts from the charges with that expiry.
   *
   * @return false when none of them is left, or when their sum has reached its maximum
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

  /** Returns the sum of the charges with that expiry. */
  long sum(long expiresAtMs) {
    for (int i = 0; i < size; i++) {
      if (expiries[i] == expiresAtMs) {
        return sums[i];
      }
    }
    return 0;
  }

  /** Drops the sums that expired at or before the time and returns their number. */
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
