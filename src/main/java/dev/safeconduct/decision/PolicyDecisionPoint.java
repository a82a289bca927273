package dev.safeconduct.decision;

import dev.safeconduct.decision.facts.Validator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Decides. A pure, total function: everything it depends on is in the request, and whatever goes
 * wrong inside it is a deny.
 */
public final class PolicyDecisionPoint {
  private final Map<String, Validator> validators;
  private final Consumer<Throwable> faults;

  /**
   * @param validators those that packs may name
   * @param faults told of what went wrong when a judgement ends in {@code oap.policy_error}
   */
  public PolicyDecisionPoint(Map<String, Validator> validators, Consumer<Throwable> faults) {
    this.validators = Map.copyOf(validators);
    this.faults = faults;
  }

  /** The outcome of the first check that fails, or an allow when none does. */
  public Outcome decide(DecisionRequest request) {
    try {
      return new Judgement(request, validators).run();
    } catch (RuntimeException | StackOverflowError e) {
      faults.accept(e);
      return new Outcome.Deny(
          new Reason(
              Reason.POLICY_ERROR,
              "The policy could not be evaluated, so the action is denied.",
              Optional.empty()),
          List.of(),
          List.of());
    }
  }
}
