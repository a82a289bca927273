package dev.safeconduct.policy.expression;

import java.util.Optional;
import java.util.stream.DoubleStream;

/** What a calculation with numbers from two ranges may yield. */
final class Arithmetic {
  private Arithmetic() {}

  /** What it yields where it does not fail. */
  record Result(Values values, boolean mayFail) {}

  static Result of(Operator operator, Values left, Values right) {
    Values yields = Values.NONE;
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

  /** Rounding is monotone, so the extremes lie at the corners; where they have none, anywhere. */
  private static Optional<Numbers> corners(double... corners) {
    if (DoubleStream.of(corners).anyMatch(Double::isNaN)) {
      return Optional.of(Numbers.ANY);
    }
    return Numbers.between(
        DoubleStream.of(corners).min().orElseThrow(),
        DoubleStream.of(corners).max().orElseThrow(),
        false);
  }

  /** What two lengths make together; as much as there is when that does not fit. */
  static long sum(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
