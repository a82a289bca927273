package dev.safeconduct.simulate;

import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.verify.EvaluationInput;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.TemplateChain;
import java.time.Instant;
import java.util.Optional;

/**
 * Evaluates actions under one pack as the service does, with counters that are kept in memory and
 * charged as the service would charge them.
 */
public final class CaseEvaluator {
  private final PolicyPack pack;
  private final Evaluator evaluator;

  private final MemoryCounters counters = new MemoryCounters();

  public CaseEvaluator(PolicyPack pack, Evaluator evaluator) {
    this.pack = pack;
    this.evaluator = evaluator;
  }

  /**
   * An agent's request.
   *
   * @param templates what the passport was made from, if it is an instance
   * @param context the sent context, before dialects
   * @param contextFault the reason why it cannot be evaluated, if there is one
   */
  public record Question(
      JudgedPassport passport,
      TemplateChain templates,
      JsonObject context,
      Optional<String> contextFault,
      Instant at) {}

  /** The steps that one request may take; its evaluations share them. */
  public static final class StepLimit {
    private final Budget budget = new Budget();

    public boolean isUsedUp() {
      return budget.spent() >= Budget.MOST_REQUEST_STEPS;
    }
  }

  /** The outcome by the counters as they are; charges nothing yet. */
  public Outcome evaluate(Question question, StepLimit limit) {
    return evaluator
        .settle(
            EvaluationInput.simulated(
                pack,
                question.passport(),
                question.templates(),
                question.context(),
                question.contextFault(),
                question.at()),
            counters,
            limit.budget)
        .orElseThrow(() -> new IllegalStateException("the pack's counters never settle"));
  }

  /** Takes what the outcome charges. */
  public void charge(Outcome outcome) {
    charge(outcome, Optional.empty());
  }

  /** Takes what the outcome charges, until it is given back. */
  void charge(Outcome outcome, Optional<Instant> released) {
    counters.charge(outcome, released);
  }

  /** Removes the charges that have expired by then. */
  public void forget(Instant by) {
    counters.forget(by);
  }
}
