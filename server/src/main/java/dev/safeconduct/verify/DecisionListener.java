package dev.safeconduct.verify;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.JsonObject;
import java.util.UUID;

/** Is notified of every decision after it is durable. It must not wait and must not fail. */
@FunctionalInterface
public interface DecisionListener {
  void recorded(Recorded decision);

  /**
   * A decision that was recorded.
   *
   * @param outcome as it was evaluated, with messages that may hold secrets
   * @param sentContext the context before dialects
   */
  record Recorded(
      UUID id, EvaluationInput input, Outcome outcome, JsonObject sentContext, boolean dryRun) {}
}
