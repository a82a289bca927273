package dev.safeconduct.decision;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Validator;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.Lifetime;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.Window;
import dev.safeconduct.policy.expression.EvaluationFault;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.usage.Charge;
import dev.safeconduct.usage.CounterKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Holds the counters of one judgement against their caps, and gathers what an allow charges. */
final class Counting {
  /** What a counter may hold at most, whatever its cap: a charge more still fits a long. */
  private static final double MOST = 9.0e18;

  private final CounterReader counters;
  private final Function<String, Validator> validators;
  private final Instant now;
  private final List<Charge> charges = new ArrayList<>();
  private JsonObject full = JsonObject.EMPTY;

  Counting(CounterReader counters, Function<String, Validator> validators, Instant now) {
    this.counters = counters;
    this.validators = validators;
    this.now = now;
  }

  List<Charge> charges() {
    return charges;
  }

  /** The counters of the rule looked at last that had no room, with their sums and caps. */
  JsonObject full() {
    return full;
  }

  /** Why the rule denies; Java null when there is room under every cap. */
  @Nullable String failure(Rule.Counted rule, Facts facts, ExpressionFacts expressions) {
    full = JsonObject.EMPTY;
    for (Rule.Counter counter : rule.counters()) {
      try {
        if (counter.when().isPresent() && !counter.when().get().holds(expressions)) {
          continue;
        }
        OptionalDouble max = cap(counter.cap(), facts, expressions);
        if (max.isEmpty()) {
          switch (counter.uncapped()) {
            case DENY -> {
              return rule.message();
            }
            case CHARGE -> {
              chargeUncapped(counter, expressions);
              continue;
            }
            case SKIP -> {
              continue;
            }
          }
        }
        if (!(max.getAsDouble() >= 0) || !charge(counter, max.getAsDouble(), expressions)) {
          return rule.message();
        }
      } catch (EvaluationFault e) {
        return rule.message();
      }
    }
    return null;
  }

  /**
   * For a cap set later. No rule asks for the counter now, so what cannot be read denies nothing.
   */
  private void chargeUncapped(Rule.Counter counter, ExpressionFacts facts) {
    try {
      charge(counter, MOST, facts);
    } catch (EvaluationFault e) {
      // Nothing says how much or for how long.
    }
  }

  /** The cap; one that is malformed is not a number, so that nothing is within it. */
  private OptionalDouble cap(Rule.Cap cap, Facts facts, ExpressionFacts expressions)
      throws EvaluationFault {
    return switch (cap) {
      case Rule.Cap.Said(Expression expression) -> expression.number(expressions);
      case Rule.Cap.Measured(String name) ->
          switch (validators.apply(name).cap(facts)) {
            case Reading.Absent<Double> _ -> OptionalDouble.empty();
            case Reading.Malformed<Double> _ -> OptionalDouble.of(Double.NaN);
            case Reading.Present<Double>(Double value) -> OptionalDouble.of(value);
          };
    };
  }

  /** Whether there is room under the cap; takes it for granted and prepares the charge if so. */
  private boolean charge(Rule.Counter counter, double cap, ExpressionFacts facts)
      throws EvaluationFault {
    String by = "";
    if (counter.key().isPresent()) {
      Optional<String> text = counter.key().get().key(facts);
      if (text.isEmpty()) {
        return false;
      }
      by = text.get();
    }
    OptionalLong expiry = expiry(counter.lifetime(), cap, facts);
    if (expiry.isEmpty()) {
      return false;
    }
    long amount = 1;
    // A count is full at the cap; a sum may reach it. Only whole amounts can be charged.
    long atMost = (long) Math.min(Math.ceil(cap), MOST) - 1;
    if (counter.amount().isPresent()) {
      OptionalDouble added = counter.amount().get().number(facts);
      if (added.isEmpty()
          || added.getAsDouble() < 0
          || !new JsonNumber(added.getAsDouble()).isSafeInteger()) {
        return false;
      }
      amount = (long) added.getAsDouble();
      atMost = (long) Math.min(Math.floor(cap), MOST) - amount;
    }
    CounterKey key = counters.key(counter.name(), counter.lifetime().wire(), by);
    if (counters.total(key) > atMost) {
      full =
          JsonObject.builder()
              .put(
                  counter.name(),
                  JsonObject.builder().put("used", counters.total(key)).put("max", cap).build())
              .build();
      return false;
    }
    counters.assume(key, atMost);
    if (amount > 0) {
      charges.add(new Charge(key, amount, expiry.getAsLong()));
    }
    return true;
  }

  /** When the charge stops counting; empty when nothing says so. */
  private OptionalLong expiry(Lifetime lifetime, double cap, ExpressionFacts facts)
      throws EvaluationFault {
    return switch (lifetime) {
      case Window window -> OptionalLong.of(window.expiry(now, cap));
      case Lifetime.Lives(Expression expression) -> {
        OptionalDouble seconds = expression.number(facts);
        yield seconds.isEmpty() || !(seconds.getAsDouble() >= 0)
            ? OptionalLong.empty()
            : OptionalLong.of(
                now.toEpochMilli()
                    + (long) Math.min(Math.ceil(seconds.getAsDouble() * 1000), MOST));
      }
    };
  }
}
