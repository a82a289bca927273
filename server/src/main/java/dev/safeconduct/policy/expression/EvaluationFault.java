package dev.safeconduct.policy.expression;

/**
 * A failure while an expression runs; the rule that owns the expression denies with its own code.
 *
 * <p>It is an ordinary outcome (a missing limit is enough), so it has no stack trace.
 */
public final class EvaluationFault extends Exception {
  private static final long serialVersionUID = 1L;

  private final int column;

  EvaluationFault(String message, int column) {
    super(message, null, false, false);
    this.column = column;
  }

  /**
   * Returns the place of the failed operator or call, counted in UTF-16 units of the source from 1.
   */
  public int column() {
    return column;
  }
}
