package dev.safeconduct.policy;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.policy.expression.ExpressionFault;
import dev.safeconduct.problem.PolicyFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Compiles the expressions of one pack and remembers where each of them stands. */
final class Sources {
  /** What an expression is for, and so what it has to yield. */
  enum Use {
    /** Decides a rule. */
    CONDITION,
    /** A further demand on the context. */
    DEMAND,
    /** Says whether a counter counts. */
    WHEN,
    /** What a counter counts by. */
    KEY,
    /** A cap, an amount or a number of seconds. */
    NUMBER
  }

  /** An expression that compiles; {@code place} is a fault still without words. */
  record Source(PolicyFault place, Use use, String text) {}

  private final Consumer<PolicyFault> faults;
  private final List<Source> all = new ArrayList<>();

  Sources(Consumer<PolicyFault> faults) {
    this.faults = faults;
  }

  List<Source> all() {
    return all;
  }

  /** {@code place} is that of the object that has the member. */
  Optional<Expression> compile(PolicyFault place, JsonObject from, String member, Use use) {
    PolicyFault here =
        new PolicyFault(
            place.field() + "." + member, place.rule(), place.column(), "", Optional.empty());
    Optional<String> source = from.string(member);
    if (source.isEmpty()) {
      faults.accept(saying(here, "this must be an expression"));
      return Optional.empty();
    }
    try {
      Expression expression = Expression.compile(source.get());
      all.add(new Source(here, use, source.get()));
      return Optional.of(expression);
    } catch (ExpressionFault e) {
      PolicyFault fault = saying(here, e.what()).at(e.column());
      faults.accept(e.meant().map(fault::suggesting).orElse(fault));
      return Optional.empty();
    }
  }

  /** The expression, where the member is there at all. */
  Optional<Expression> optional(PolicyFault place, JsonObject from, String member, Use use) {
    return from.has(member) ? compile(place, from, member, use) : Optional.empty();
  }

  /** The place with words. */
  static PolicyFault saying(PolicyFault place, String message) {
    return new PolicyFault(
        place.field(), place.rule(), place.column(), message, place.suggestion());
  }
}
