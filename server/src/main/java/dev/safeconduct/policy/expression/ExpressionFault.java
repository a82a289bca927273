package dev.safeconduct.policy.expression;

import java.util.Optional;

/** A mistake in the source of an expression; a pack that contains one is unusable. */
public final class ExpressionFault extends Exception {
  private static final long serialVersionUID = 1L;

  private final String what;
  private final String meant;
  private final int column;

  ExpressionFault(String message, int column) {
    this(message, "", column);
  }

  /** Creates a fault; {@code meant} is the likely intended text, or empty. */
  ExpressionFault(String message, String meant, int column) {
    super(meant.isEmpty() ? message : message + "; did you mean " + meant + "?");
    this.what = message;
    this.meant = meant;
    this.column = column;
  }

  /** Returns the message without its suggestion. */
  public String what() {
    return what;
  }

  /** Returns the likely intended text. */
  public Optional<String> meant() {
    return meant.isEmpty() ? Optional.empty() : Optional.of(meant);
  }

  /** Returns the place of the mistake in the source, counted in UTF-16 units from 1. */
  public int column() {
    return column;
  }
}
