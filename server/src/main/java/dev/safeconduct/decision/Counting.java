package dev.safeconduct.decision;

import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.policy.Lifetime;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.Window;
import dev.safeconduct.policy.expression.EvaluationFault;
import dev.safeconduct.policy.expression.Expression;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Compares the counters of one evaluation with their caps, and collects an allow's charges. */
final class Counting {
  /** The maximum value of a counter, independent of its cap: one more charge still fits a long. */
  private static final double MOST = 9.0e18;

  private final CounterReader counters;
  private final Function<String, Validator> validators;
  private final Instant now;
  private final boolean observing;
  private final List<Charge> charges = new ArrayList<>();
  private JsonObject full = JsonObject.EMPTY;
  private boolean faulty;

  /**
   * @param observing whether a rule's counters after a full one are compared too: observe mode
   *     lifts the full one, not the fault of another
   */
  Counting(
      CounterReader counters,
      Function<String, Validator> validators,
      Instant now,
      boolean observing) {
    this.counters = counters;
    this.validators = validators;
    this.now = now;
    this.observing = observing;
  }

  List<Charge> charges() {
    return charges;
  }

  /** Whether the last rule failed because an expression could not be evaluated. */
  boolean isFaulty() {
    return faulty;
  }

  /** Returns the counters of the last rule that reached their caps, with sums and caps. */
  JsonObject full() {
    return full;
  }

  /** Returns the reason why the rule denies, or Java null if no cap is exceeded. */
  @Nullable String failure(Rule.Counted rule, Facts facts, ExpressionFacts expressions) {
    full = JsonObject.EMPTY;
    faulty = false;
    boolean fits = true;
    for (Rule.Counter counter : rule.counters()) {
      try {
        fits &= fits(counter, facts, expressions);
      } catch (EvaluationFault e) {
        faulty = true;
        return rule.message();
      }
      if (!fits && !observing) {
        return rule.message();
      }
    }
    return fits ? null : rule.message();
  }

  private boolean fits(Rule.Counter counter, Facts facts, ExpressionFacts expressions)
      throws EvaluationFault {
    if (counter.when().isPresent() && !counter.when().get().holds(expressions)) {
      return true;
    }
    OptionalDouble max = cap(counter.cap(), facts, expressions);
    if (max.isEmpty()) {
      return switch (counter.uncapped()) {
        case DENY -> false;
        case CHARGE -> {
          chargeUncapped(counter, expressions);
          yield true;
        }
        case SKIP -> true;
      };
    }
    return max.getAsDouble() >= 0 && charge(counter, max.getAsDouble(), expressions);
  }

  /**
   * Charges a counter without a cap, for a cap that is set later. No rule needs the counter now, so
   * an unreadable value does not deny.
   */
  private void chargeUncapped(Rule.Counter counter, ExpressionFacts facts) {
    try {
      charge(counter, MOST, facts);
    } catch (EvaluationFault e) {
      // The amount or the lifetime is not known.
    }
  }

  /** Returns the cap. A malformed cap is NaN, so no value is within it. */
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

  /** Whether the charge fits the cap. If so, records that assumption and prepares the charge. */
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
          full.toBuilder()
              .put(
                  counter.name(),
                  JsonObject.builder().put("used", counters.total(key)).put("max", cap).build())
              .build();
      return false;
    }
    counters.assume(key, atMost);
    if (amount > 0) {
      charges.add(new Charge(key, counter.name(), amount, expiry.getAsLong()));
    }
    return true;
  }

  /** Returns when the charge stops counting, or empty if that is not known. */
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
