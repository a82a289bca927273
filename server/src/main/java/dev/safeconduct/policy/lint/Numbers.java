package dev.safeconduct.policy.lint;

import java.util.Optional;

/**
 * Finite numbers between two inclusive bounds; an infinite bound means no bound.
 *
 * @param whole whether only whole numbers occur
 */
record Numbers(double least, double most, boolean whole) {
  static final Numbers ANY = new Numbers(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, false);

  /** Returns the numbers between the bounds; empty if there are none. */
  static Optional<Numbers> between(double least, double most, boolean whole) {
    double low = whole ? Math.ceil(least) : least;
    double high = whole ? Math.floor(most) : most;
    return low <= high ? Optional.of(new Numbers(low, high, whole)) : Optional.empty();
  }

  boolean holds(double number) {
    return least <= number && number <= most && (!whole || Math.rint(number) == number);
  }

  boolean isOne() {
    return least == most;
  }

  boolean isBounded() {
    return Double.isFinite(least) && Double.isFinite(most);
  }

  Numbers or(Numbers other) {
    return new Numbers(
        Math.min(least, other.least), Math.max(most, other.most), whole && other.whole);
  }

  Optional<Numbers> and(Numbers other) {
    return between(Math.max(least, other.least), Math.min(most, other.most), whole || other.whole);
  }

  Optional<Numbers> upTo(double bound) {
    return between(least, Math.min(most, bound), whole);
  }

  Optional<Numbers> from(double bound) {
    return between(Math.max(least, bound), most, whole);
  }
}
