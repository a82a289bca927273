package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonValue;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A compiled expression of a policy pack. Immutable, so any number of threads may evaluate it.
 *
 * <p>Every evaluation is bounded: 10,000 steps, 50 ms, arrays of 10,000 elements. Beyond a bound,
 * and for every error in the data (a missing list, a number instead of a string), it fails with an
 * {@link EvaluationFault}, which denies.
 */
public final class Expression {
  /** The longest source accepted, in UTF-16 units. */
  public static final int MAX_LENGTH = 1000;

  private final String source;
  private final Compiler.Program program;

  private Expression(String source, Compiler.Program program) {
    this.source = source;
    this.program = program;
  }

  /**
   * Compiles a source.
   *
   * @throws ExpressionFault if the source does not follow the grammar, is too long or nested too
   *     deep, or names a root, method or function that does not exist
   */
  public static Expression compile(String source) throws ExpressionFault {
    if (source.length() > MAX_LENGTH) {
      throw new ExpressionFault(
          "the expression is longer than " + MAX_LENGTH + " characters", MAX_LENGTH + 1);
    }
    return new Expression(source, Compiler.compile(Parser.parse(source)));
  }

  /** Returns whether the value is truthy, so that the rule passes. */
  public boolean holds(FactSource facts) throws EvaluationFault {
    return Semantics.truthy(evaluate(facts, facts.budget()));
  }

  /**
   * Returns the value as a number; empty if it is undefined or null.
   *
   * @throws EvaluationFault also if the value is of another type
   */
  public OptionalDouble number(FactSource facts) throws EvaluationFault {
    JsonValue value = evaluate(facts, facts.budget());
    if (Semantics.absent(value)) {
      return OptionalDouble.empty();
    }
    if (value instanceof JsonNumber number) {
      return OptionalDouble.of(number.value());
    }
    throw Semantics.mismatch(value, "the value", "a number", 1);
  }

  /**
   * Returns the value as a counter's key: a string, or an array of strings written as JSON; empty
   * if it is undefined or null.
   *
   * @throws EvaluationFault also if the value is of another type
   */
  public Optional<String> key(FactSource facts) throws EvaluationFault {
    JsonValue value = evaluate(facts, facts.budget());
    return Semantics.absent(value)
        ? Optional.empty()
        : Optional.of(Semantics.key(value, "the value", 1));
  }

  /** Returns the limits read by name, such as {@code max_kb} of {@code limits.max_kb}; sorted. */
  public Set<String> limitNames() {
    return program.reads().limits();
  }

  /** Returns the context fields read by name, such as {@code kb} of {@code context.kb}; sorted. */
  public Set<String> contextNames() {
    return program.reads().context();
  }

  public ReferencedFacts reads() {
    return program.reads();
  }

  /** Returns the text the expression was compiled from. */
  public String source() {
    return source;
  }

  @Override
  public String toString() {
    return source;
  }

  /** Returns the raw value, Java {@code null} for undefined. */
  @Nullable JsonValue evaluate(FactSource facts, Budget budget) throws EvaluationFault {
    return program.code().run(new Run(facts, program.slots(), budget));
  }

  /**
   * The facts an expression reads; sorted.
   *
   * @param limits limits read by name
   * @param context context fields read by name
   * @param passport members of the passport read by name
   * @param whole roots of which more than named members may be read
   */
  public record ReferencedFacts(
      Set<String> limits, Set<String> context, Set<String> passport, Set<String> whole) {
    public ReferencedFacts {
      limits = Collections.unmodifiableSet(new TreeSet<>(limits));
      context = Collections.unmodifiableSet(new TreeSet<>(context));
      passport = Collections.unmodifiableSet(new TreeSet<>(passport));
      whole = Collections.unmodifiableSet(new TreeSet<>(whole));
    }
  }
}
