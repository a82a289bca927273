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

  /** Whether it looks at counters, so that its pack's allows must not be cached. */
  default boolean counts() {
    return false;
  }

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
      implements Rule {
    @Override
    public boolean counts() {
      return true;
    }
  }

  /** Passes when every part passes; the parts are judged in order and share name and code. */
  record Combined(
      String name, String denyCode, List<Rule> parts, List<String> limits, List<String> fields)
      implements Rule {
    public Combined {
      parts = List.copyOf(parts);
    }

    @Override
    public boolean counts() {
      return parts.stream().anyMatch(Rule::counts);
    }
  }

  /** Where a counter's cap comes from. */
  sealed interface Cap {
    /** From an expression. */
    record Said(Expression expression) implements Cap {}

    /** From the rule's validator. */
    record Measured(String validator) implements Cap {}
  }

  /** What becomes of a counter without a cap. */
  enum Uncapped {
    /** The rule denies. */
    DENY,
    /** Charged all the same, so that a cap set later finds what there is. */
    CHARGE,
    /** Neither looked at nor charged. */
    SKIP
  }

  /**
   * A count or a sum of what has not yet expired, kept per passport and pack.
   *
   * @param lifetime how long a charge counts
   * @param cap how much is allowed
   * @param uncapped what becomes of it when there is no cap
   * @param when skips the counter unless it holds
   * @param key gives what is counted by, beside the passport; no answer denies
   * @param amount gives what is added; a count of events when absent
   */
  record Counter(
      String name,
      Lifetime lifetime,
      Cap cap,
      Uncapped uncapped,
      Optional<Expression> when,
      Optional<Expression> key,
      Optional<Expression> amount) {}
}
