package dev.safeconduct.verify;

import dev.safeconduct.decision.CompiledPermissions;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.expression.Budget;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Evaluates actions for the passport and for each template of an instance. Real decisions, dry runs
 * and simulations all use an evaluator.
 */
public final class Evaluator {
  /** The maximum number of rounds while counters grow during an evaluation. */
  private static final int MOST_ROUNDS = 32;

  private final PolicyDecisionPoint decisionPoint;
  private final Supplier<Feeds> feeds;
  private final PermissionsCache compiled = new PermissionsCache();

  /** {@code feeds}: the external values that the operator reports. */
  public Evaluator(PolicyDecisionPoint decisionPoint, Supplier<Feeds> feeds) {
    this.decisionPoint = decisionPoint;
    this.feeds = feeds;
  }

  /**
   * Evaluates with the known counters. The outcome's conditions hold its assumptions.
   *
   * @param budget other evaluations of the same request share it
   */
  public Outcome evaluate(EvaluationInput input, Usage usage, Budget budget) {
    Optional<Outcome> halted = input.halted();
    if (halted.isPresent()) {
      return halted.get();
    }
    if (!input.policy().faults().isEmpty()) {
      return input.policy().denied();
    }
    Feeds reported = feeds.get();
    Subject subject = input.subject();
    Outcome joined =
        decisionPoint.decide(
            () ->
                input.request(
                    subject.passport(),
                    compiled(input, subject.passport()),
                    subject.chain().active(),
                    subject.stateId(),
                    usage,
                    reported),
            budget,
            input.controls().observe());
    for (TemplateChain.Template template : subject.chain().templates()) {
      if (!(joined instanceof Outcome.Allow allow)) {
        return joined;
      }
      Outcome above =
          decisionPoint.decide(
              () ->
                  input.request(
                      template.passport(),
                      compiled(input, template.passport()),
                      true,
                      template.agentId(),
                      usage,
                      reported),
              budget,
              input.controls().observe());
      joined = allow.and(above.ofTemplate(template.agentId()));
    }
    return joined;
  }

  /** Returns what the passport permits as the pack evaluates it; kept only if both are hosted. */
  private CompiledPermissions compiled(EvaluationInput input, JudgedPassport passport) {
    PolicyPack pack = input.policy().pack();
    return input.policy().isHosted() && !passport.permissionsDigest().isEmpty()
        ? compiled.of(passport, pack)
        : CompiledPermissions.of(passport.permissions(), pack);
  }

  /** Evaluates with the current counters; empty if they change in every round. */
  public Optional<Outcome> settle(EvaluationInput input, UsageLookup counters, Budget budget) {
    Usage usage = Usage.NONE;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      Outcome outcome = evaluate(input, usage, budget);
      Optional<Usage> corrected = counters.corrected(usage, outcome.conditions(), input.at());
      if (corrected.isEmpty()) {
        return Optional.of(outcome);
      }
      usage = corrected.get();
    }
    return Optional.empty();
  }
}
