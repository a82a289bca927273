package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonValue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One evaluation: its facts, the values of the lambda parameters, and the remaining budget.
 *
 * <p>A step is one operator, one call or one iteration of a lambda. Literals, names and member
 * reads are free, because the source bounds their number. Work that grows with the data costs extra
 * steps in proportion. The budget therefore also bounds memory and the time between two clock
 * readings: a caller may send a pack with a context of several megabytes.
 */
final class Run {
  static final int MAX_STEPS = 10_000;
  static final long MAX_NANOS = 50_000_000;
  static final int MAX_ELEMENTS = 10_000;

  /** Reading the clock costs as much as a small rule, so short evaluations never read it. */
  private static final int STEPS_BETWEEN_LOOKS = 256;

  final FactSource facts;
  private final @Nullable JsonValue[] parameters;
  private final LongSupplier nanos;
  private int steps;
  private int nextLook = STEPS_BETWEEN_LOOKS;
  private long started;
  private boolean timed;

  Run(FactSource facts, int parameters, LongSupplier nanos) {
    this.facts = facts;
    this.parameters = new @Nullable JsonValue[parameters];
    this.nanos = nanos;
  }

  @Nullable JsonValue parameter(int slot) {
    return parameters[slot];
  }

  void bind(int slot, @Nullable JsonValue value) {
    parameters[slot] = value;
  }

  void step(int column) throws EvaluationFault {
    spend(1, column);
  }

  /** Charges steps for reading this many characters. */
  void reads(int characters, int column) throws EvaluationFault {
    spend(characters >> 14, column);
  }

  /** Charges steps for a new text of this many characters, before it is created. */
  void makes(long characters, int column) throws EvaluationFault {
    spend((int) Math.min(characters >> 12, MAX_STEPS + 1), column);
  }

  /** Charges steps for Unicode normalisation, some fifty times slower than reading. */
  void folds(int characters, int column) throws EvaluationFault {
    spend(characters >> 6, column);
  }

  /** Charges steps for comparing one value with every element. */
  void scans(JsonArray array, int column) throws EvaluationFault {
    bounded(array.size(), column);
    spend(array.size() >> 6, column);
  }

  /** Rejects an array that is too long to scan or create. */
  void bounded(int elements, int column) throws EvaluationFault {
    if (elements > MAX_ELEMENTS) {
      throw new EvaluationFault("an array has more than " + MAX_ELEMENTS + " elements", column);
    }
  }

  void spend(int amount, int column) throws EvaluationFault {
    steps += amount;
    if (steps >= nextLook) {
      look(column);
    }
  }

  private void look(int column) throws EvaluationFault {
    if (steps > MAX_STEPS) {
      throw new EvaluationFault("the rule needs more than " + MAX_STEPS + " steps", column);
    }
    long now = nanos.getAsLong();
    if (!timed) {
      timed = true;
      started = now;
    } else if (now - started > MAX_NANOS) {
      throw new EvaluationFault("the rule ran longer than 50 ms", column);
    }
    nextLook = Math.min(steps + STEPS_BETWEEN_LOOKS, MAX_STEPS + 1);
  }
}
