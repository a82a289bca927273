package dev.safeconduct.policy;

import dev.safeconduct.policy.expression.Expression;
import java.util.List;
import java.util.Optional;

/** One check of a pack. The first that fails decides. */
public sealed interface Rule {
  String name();

  /** The reason code of its deny. */
  String denyCode();

  /** The limits it reads, for traces. */
  List<String> limits();

  /** The context fields it reads, for traces. */
  List<String> fields();

  /** Passes when the expression holds. */
  record Conditional(
      String name,
      String denyCode,
      String message,
      Expression condition,
      List<String> limits,
      List<String> fields)
      implements Rule {}

  /** Passes when the named validator passes. */
  record Validated(
      String name, String denyCode, String validator, List<String> limits, List<String> fields)
      implements Rule {}

  /** Passes while every counter is below its cap; an allow charges them. */
  record Counted(
      String name,
      String denyCode,
      String message,
      List<Counter> counters,
      List<String> limits,
      List<String> fields)
      implements Rule {}

  /**
   * A count or a sum within a window, kept per passport and pack.
   *
   * @param max gives the cap
   * @param required whether an absent cap denies (else the counter is skipped and not charged)
   * @param when skips the counter unless it holds
   * @param key gives what is counted by, beside the passport
   * @param amount gives what is added; a count of events when absent
   */
  record Counter(
      String name,
      Window window,
      Expression max,
      boolean required,
      Optional<Expression> when,
      Optional<Expression> key,
      Optional<Expression> amount) {}
}
