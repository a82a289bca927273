package dev.safeconduct.simulate;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.SizeEstimate;
import dev.safeconduct.policy.hosted.PackCache;
import dev.safeconduct.verify.DecisionListener;
import dev.safeconduct.verify.EvaluationInput;
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
                        + decision.input().subject().passport().size()));
  }
}
