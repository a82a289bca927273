package dev.safeconduct.verify;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.policy.expression.Budget;
import java.time.InstantSource;

/**
 * Evaluates whether an action would be allowed now. Nothing is signed, recorded or charged, so the
 * result is not a decision and callers must not act on it.
 */
public final class DryRun {
  private final RequestResolver resolver;
  private final Evaluator evaluator;
  private final UsageLookup counters;
  private final InstantSource clock;

  public DryRun(
      RequestResolver resolver, Evaluator evaluator, UsageLookup counters, InstantSource clock) {
    this.resolver = resolver;
    this.evaluator = evaluator;
    this.counters = counters;
    this.clock = clock;
  }

  /**
   * Whether {@link VerifyAction} would allow the action with the current counters.
   *
   * @param budget of the whole request, which may ask for several actions
   * @throws dev.safeconduct.error.ProblemException as {@link VerifyAction#decide} for a request
   *     that cannot be evaluated
   */
  public boolean allows(VerifyRequest request, Budget budget) {
    EvaluationInput input = resolver.resolve(request, clock).enforced();
    return evaluator.settle(input, counters, budget).filter(Outcome::isAllow).isPresent();
  }
}
