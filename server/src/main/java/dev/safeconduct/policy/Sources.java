package dev.safeconduct.policy;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.policy.expression.ExpressionFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Compiles the expressions of one pack and records the place of each. */
public final class Sources {
  /** The purpose of an expression, which determines its required type. */
  public enum Use {
    /** Decides a rule. */
    CONDITION,
    /** A further condition on the context. */
    DEMAND,
    /** Decides whether a counter applies. */
    WHEN,
    /** The key of a counter. */
    KEY,
    /** A cap, an amount or a number of seconds. */
    NUMBER
  }

  /** An expression that compiles; {@code place} is a fault without a message. */
  public record Source(PolicyFault place, Use use, String text) {}

  private final Consumer<PolicyFault> faults;
  private final List<Source> all = new ArrayList<>();

  Sources(Consumer<PolicyFault> faults) {
    this.faults = faults;
  }

  List<Source> all() {
    return all;
  }

  /** Compiles a member; {@code place} is the place of the object that contains it. */
  Optional<Expression> compile(PolicyFault place, JsonObject from, String member, Use use) {
    PolicyFault here =
        new PolicyFault(
            place.field() + "." + member, place.rule(), place.column(), "", Optional.empty());
    Optional<String> source = from.string(member);
    if (source.isEmpty()) {
      faults.accept(here.saying("this must be an expression"));
      return Optional.empty();
    }
    try {
      Expression expression = Expression.compile(source.get());
      all.add(new Source(here, use, source.get()));
      return Optional.of(expression);
    } catch (ExpressionFault e) {
      PolicyFault fault = here.saying(e.what()).at(e.column());
      faults.accept(e.meant().map(fault::suggesting).orElse(fault));
      return Optional.empty();
    }
  }

  /** Compiles a member if it is present. */
  Optional<Expression> optional(PolicyFault place, JsonObject from, String member, Use use) {
    return from.has(member) ? compile(place, from, member, use) : Optional.empty();
  }
}
