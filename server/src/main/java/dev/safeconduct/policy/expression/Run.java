package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonValue;
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
  static final int MAX_ELEMENTS = 10_000;

  final FactSource facts;
  private final @Nullable JsonValue[] parameters;
  private final Budget budget;

  Run(FactSource facts, int parameters, Budget budget) {
    this.facts = facts;
    this.parameters = new @Nullable JsonValue[parameters];
    this.budget = budget;
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

  /** Charges steps for reading this list of the passport. */
  void reads(String list, int column) throws EvaluationFault {
    spend(facts.passport().array(list).map(JsonArray::size).orElse(0) >> 6, column);
  }

  /** Charges steps for a new text of this many characters, before it is created. */
  void makes(long characters, int column) throws EvaluationFault {
    spend(characters >> 12, column);
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

  void spend(long amount, int column) throws EvaluationFault {
    String over = budget.spend(amount);
    if (over != null) {
      throw new EvaluationFault(over, column);
    }
  }
}
