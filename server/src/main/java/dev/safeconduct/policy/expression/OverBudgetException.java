package dev.safeconduct.policy.expression;

/** A check needs more steps or time than it may use. It has no stack trace, because it is cheap. */
public final class OverBudgetException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OverBudgetException(String message) {
    super(message, null, false, false);
  }
}
