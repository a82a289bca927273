package dev.safeconduct.policy.expression;

import java.util.Optional;

/** A mistake in the source of an expression; a pack that holds one is unusable. */
public final class ExpressionFault extends Exception {
  private static final long serialVersionUID = 1L;

  private final String what;
  private final String meant;
  private final int column;

  ExpressionFault(String message, int column) {
    this(message, "", column);
  }

  /** {@code meant}: what was probably meant; empty when nothing is near. */
  ExpressionFault(String message, String meant, int column) {
    super(meant.isEmpty() ? message : message + "; did you mean " + meant + "?");
    this.what = message;
    this.meant = meant;
    this.column = column;
  }

  /** The message without its suggestion. */
  public String what() {
    return what;
  }

  /** What was probably meant. */
  public Optional<String> meant() {
    return meant.isEmpty() ? Optional.empty() : Optional.of(meant);
  }

  /** Where the mistake stands in the source, counted in UTF-16 units from 1. */
  public int column() {
    return column;
  }
}
