package dev.safeconduct.policy.expression;

/** A mistake in the source of an expression; a pack that holds one is unusable. */
public final class ExpressionFault extends Exception {
  private static final long serialVersionUID = 1L;

  private final int column;

  ExpressionFault(String message, int column) {
    super(message);
    this.column = column;
  }

  /** Where the mistake stands in the source, counted in UTF-16 units from 1. */
  public int column() {
    return column;
  }
}
