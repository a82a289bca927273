package dev.safeconduct.policy.lint;

import dev.safeconduct.policy.expression.CounterRead;
import dev.safeconduct.policy.expression.ExpressionFault;
import dev.safeconduct.policy.expression.Parser;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The provable properties of an expression, found without evaluating it, for all values its facts
 * may have. The result is conservative: {@link #values} contains every possible result, and an
 * expression reported as unable to fail never fails.
 */
final class Inspection {
  private final Seen seen;
  private final List<Finding> findings;
  private final List<CounterRead> reads;

  private Inspection(Seen seen, List<Finding> findings, List<CounterRead> reads) {
    this.seen = seen;
    this.findings = findings;
    this.reads = reads;
  }

  /**
   * Inspects the expression.
   *
   * @throws ExpressionFault if the source does not compile
   */
  static Inspection of(String source, TypeEnvironment knowledge) throws ExpressionFault {
    var findings = new ArrayList<Finding>();
    var reads = new ArrayList<CounterRead>();
    Seen seen = new Inspector(findings, reads).see(Parser.parse(source), knowledge);
    return new Inspection(seen, findings, reads);
  }

  /** Returns the possible results; empty if it always fails. */
  ValueSet values() {
    return seen.values();
  }

  /** Returns whether an evaluation may end in a fault. */
  boolean mayFail() {
    return seen.mayFail();
  }

  /** Returns whether the expression is truthy for no facts. */
  boolean neverHolds() {
    return seen.truthy() == null;
  }

  /** Returns whether the expression is truthy for all facts. */
  boolean alwaysHolds() {
    return seen.falsy() == null && seen.truthy() != null && !seen.mayFail();
  }

  /** Returns the knowledge about the facts if the expression is truthy; empty if it never is. */
  Optional<TypeEnvironment> whenItHolds() {
    return Optional.ofNullable(seen.truthy());
  }

  /** Returns the mistakes found in the expression. */
  List<Finding> findings() {
    return List.copyOf(findings);
  }

  /** Returns the counter reads whose name is a literal. */
  List<CounterRead> counterReads() {
    return List.copyOf(reads);
  }

  /**
   * The inspection result of one node.
   *
   * @param values the possible results
   * @param mayFail whether it may end in a fault
   * @param truthy the knowledge after a truthy result; Java {@code null} if that is impossible
   * @param falsy the knowledge after a falsy result; Java {@code null} if that is impossible
   */
  record Seen(
      ValueSet values,
      boolean mayFail,
      @Nullable TypeEnvironment truthy,
      @Nullable TypeEnvironment falsy) {
    /** Returns the result of a node that proves nothing about the facts. */
    static Seen of(ValueSet values, boolean mayFail, TypeEnvironment knowledge) {
      return new Seen(
          values,
          mayFail,
          values.truthy().isEmpty() ? null : knowledge,
          values.falsy().isEmpty() ? null : knowledge);
    }

    /** Returns the same result, which may also fail if the earlier node may. */
    Seen after(boolean mayFailBefore) {
      return new Seen(values, mayFail || mayFailBefore, truthy, falsy);
    }
  }

  /**
   * A part of an expression that follows the grammar but is certainly a mistake.
   *
   * @param column its place in the source, counted in UTF-16 units from 1
   * @param suggestion the likely intended text
   */
  record Finding(int column, String message, Optional<String> suggestion) {
    static Finding of(int column, String message) {
      return new Finding(column, message, Optional.empty());
    }

    static Finding of(int column, String message, String suggestion) {
      return new Finding(
          column, message, suggestion.isEmpty() ? Optional.empty() : Optional.of(suggestion));
    }
  }
}
