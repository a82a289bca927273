package dev.safeconduct.decision;

import dev.safeconduct.policy.expression.Budget;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Evaluates a decision request. It is a pure, total function: it depends only on the request, and
 * every internal error is a deny.
 */
public final class PolicyDecisionPoint {
  private final Map<String, Validator> validators;
  private final Consumer<Throwable> faults;

  /**
   * @param validators the validators that packs may name
   * @param faults receives the error when an evaluation ends in {@code oap.policy_error}; {@link
   *     OverBudget} when it needed too much
   */
  public PolicyDecisionPoint(Map<String, Validator> validators, Consumer<Throwable> faults) {
    this.validators = Map.copyOf(validators);
    this.faults = faults;
  }

  /**
   * Returns the outcome of the first check that fails, or an allow if all checks pass.
   *
   * @param request makes the request; what it throws denies as well
   * @param budget of the whole request; a check that exceeds it denies
   */
  public Outcome decide(Supplier<DecisionRequest> request, Budget budget) {
    return decide(request, budget, Optional.empty());
  }

  /**
   * Decides as {@link #decide(Supplier, Budget)}, or in observe mode.
   *
   * @param observe what observe mode lifts: the checks after such a failure are made too, and the
   *     outcome is an allow if all that remain pass
   */
  public Outcome decide(
      Supplier<DecisionRequest> request, Budget budget, Optional<ObserveRules> observe) {
    try {
      return new Evaluation(request.get(), validators, budget, observe).run(faults);
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
