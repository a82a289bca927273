package dev.safeconduct.decision;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Evaluates a decision request. It is a pure, total function: it depends only on the request, and
 * every internal error is a deny.
 */
public final class PolicyDecisionPoint {
  private final Map<String, Validator> validators;
  private final Consumer<Throwable> faults;

  /**
   * @param validators the validators that packs may name
   * @param faults receives the error when an evaluation ends in {@code oap.policy_error}
   */
  public PolicyDecisionPoint(Map<String, Validator> validators, Consumer<Throwable> faults) {
    this.validators = Map.copyOf(validators);
    this.faults = faults;
  }

  /** Returns the outcome of the first check that fails, or an allow if all checks pass. */
  public Outcome decide(DecisionRequest request) {
    try {
      return new Evaluation(request, validators).run();
    } catch (RuntimeException | StackOverflowError e) {
      faults.accept(e);
      return Outcome.Deny.unchecked(
          Reason.of(
              ReasonCode.POLICY_ERROR,
              "The policy could not be evaluated, so the action is denied."),
          List.of());
    }
  }
}
