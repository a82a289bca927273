package dev.safeconduct.policy;

import dev.safeconduct.policy.expression.Expression;
import java.util.List;
import java.util.Optional;

/** One check of a pack. The first rule that fails decides. */
public sealed interface Rule {
  String name();

  /** Returns the reason code of its deny. */
  String denyCode();

  /** Returns the limits it reads, for traces. */
  List<String> limits();

  /** Returns the context fields it reads, for traces. */
  List<String> fields();

  /** Returns whether it reads counters, so that allows of its pack must not be cached. */
  default boolean counts() {
    return false;
  }

  /** Passes if the expression is truthy. */
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

  /** Passes if every part passes; the parts are evaluated in order and share name and code. */
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

  /** The source of a counter's cap. */
  sealed interface Cap {
    /** A cap from an expression. */
    record Said(Expression expression) implements Cap {}

    /** A cap from the rule's validator. */
    record Measured(String validator) implements Cap {}
  }

  /** The behaviour of a counter without a cap. */
  enum Uncapped {
    /** The rule denies. */
    DENY,
    /** The counter is charged, so that a cap set later applies to earlier charges. */
    CHARGE,
    /** The counter is neither read nor charged. */
    SKIP
  }

  /**
   * A count or sum of unexpired charges, stored per passport and pack.
   *
   * @param lifetime how long a charge counts
   * @param cap the maximum
   * @param uncapped the behaviour without a cap
   * @param when skips the counter unless it is truthy
   * @param key yields the counter's key in addition to the passport; the rule denies if it yields
   *     none
   * @param amount yields the amount to add; without it, events are counted
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
