package dev.safeconduct.simulate;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.SizeEstimate;
import dev.safeconduct.policy.hosted.PackCache;
import dev.safeconduct.verify.DecisionListener;
import dev.safeconduct.verify.EvaluationInput;
import dev.safeconduct.verify.Subject;
import java.util.Optional;
import java.util.UUID;

/**
 * A recorded decision that a tried version is to be held against.
 *
 * @param tried the version that is tried
 * @param decided what the active version decided, with the charges it took
 * @param weight about how much memory the action holds, see {@link SizeEstimate}
 */
public record ShadowEvaluation(
    UUID decisionId,
    EvaluationInput input,
    JsonObject sentContext,
    Outcome decided,
    PackCache.ShadowVersion tried,
    long weight) {

  /** The trial; empty when no version is tried, and for a dry run, which is no action. */
  static Optional<ShadowEvaluation> of(DecisionListener.Recorded decision) {
    return decision.dryRun()
        ? Optional.empty()
        : decision
            .input()
            .policy()
            .trial()
            .map(tried ->
                new ShadowEvaluation(
                    decision.id(),
                    decision.input(),
                    decision.sentContext(),
                    decision.outcome(),
                    tried,
                    SizeEstimate.of(decision.sentContext())
                        + passport(decision.input().subject())));
  }

  /** Returns the size of a passport that the request holds; hosted ones are kept anyway. */
  private static long passport(Subject subject) {
    return subject.isHosted() ? 0 : SizeEstimate.of(subject.passport().document());
  }
}
