package dev.safeconduct.policy.lint;

import dev.safeconduct.policy.expression.Operator;
import java.util.Optional;
import java.util.stream.DoubleStream;

/** Computes the possible results of arithmetic on numbers from two ranges. */
final class Arithmetic {
  private Arithmetic() {}

  /** The possible results, and whether the calculation may fail. */
  record Result(ValueSet values, boolean mayFail) {}

  static Result of(Operator operator, ValueSet left, ValueSet right) {
    ValueSet yields = ValueSet.NONE;
    boolean mayFail = !Inspector.isOnlyNumbers(left) || !Inspector.isOnlyNumbers(right);
    if (left.numbers().isPresent() && right.numbers().isPresent()) {
      Numbers a = left.numbers().get();
      Numbers b = right.numbers().get();
      Optional<Numbers> range = range(operator, a, b);
      yields = yields.withNumbers(range);
      // A result too great for a double is a fault, and so is a division by zero.
      mayFail |= range.isEmpty() || !range.get().isBounded();
      mayFail |= operator == Operator.DIVIDED_BY && b.holds(0);
    }
    if (operator == Operator.PLUS && left.strings().isPresent() && right.strings().isPresent()) {
      Strings a = left.strings().get();
      Strings b = right.strings().get();
      yields =
          yields.withStrings(
              Optional.of(Strings.between(sum(a.least(), b.least()), sum(a.most(), b.most()))));
    }
    return new Result(yields, mayFail);
  }

  private static Optional<Numbers> range(Operator operator, Numbers a, Numbers b) {
    return switch (operator) {
      case PLUS -> corners(a.least() + b.least(), a.most() + b.most());
      case MINUS -> corners(a.least() - b.most(), a.most() - b.least());
      case TIMES ->
          corners(
              a.least() * b.least(),
              a.least() * b.most(),
              a.most() * b.least(),
              a.most() * b.most());
      default -> quotient(a, b);
    };
  }

  private static Optional<Numbers> quotient(Numbers a, Numbers b) {
    if (b.least() == 0 && b.most() == 0) {
      return Optional.empty();
    }
    if (b.least() <= 0 && b.most() >= 0) {
      return Optional.of(Numbers.ANY);
    }
    return corners(
        a.least() / b.least(), a.least() / b.most(), a.most() / b.least(), a.most() / b.most());
  }

  /** Returns the range of the corners, as rounding is monotone; any number if it has none. */
  private static Optional<Numbers> corners(double... corners) {
    if (DoubleStream.of(corners).anyMatch(Double::isNaN)) {
      return Optional.of(Numbers.ANY);
    }
    return Numbers.between(
        DoubleStream.of(corners).min().orElseThrow(),
        DoubleStream.of(corners).max().orElseThrow(),
        false);
  }

  /** Returns the sum of two lengths; the maximum value if it overflows. */
  static long sum(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
