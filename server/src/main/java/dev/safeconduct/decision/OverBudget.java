package dev.safeconduct.decision;

import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.expression.OverBudgetException;

/**
 * Tells that a check needed more steps or time than it may use, so that the action was denied.
 *
 * @see dev.safeconduct.policy.expression.Budget
 */
public final class OverBudget extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String check;

  /**
   * @param check the rule, or the common check
   */
  OverBudget(PolicyId pack, String check, OverBudgetException cause) {
    super(pack.value() + ", " + check + ": " + cause.getMessage(), cause, false, false);
    this.check = pack.value() + " " + check;
  }

  /** Returns the pack and the rule or common check. */
  public String check() {
    return check;
  }
}
