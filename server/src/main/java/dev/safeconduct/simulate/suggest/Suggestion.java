package dev.safeconduct.simulate.suggest;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.time.Instant;
import java.util.List;

/**
 * A narrower passport, with what it was made from.
 *
 * @param decisions the number of decisions in the period that should stay allowed
 * @param capabilities in the form of the passport's own member
 * @param limits in the form of the passport's own member
 * @param explanations what changes or stays, each with the reason
 * @param replayed the number of decisions that were evaluated again
 * @param newlyDenied those that the suggestion would deny, at most {@link #EXAMPLES}
 */
public record Suggestion(
    AgentId agent,
    Period period,
    long decisions,
    JsonArray capabilities,
    JsonObject limits,
    List<JsonValue> explanations,
    long replayed,
    List<JsonValue> newlyDenied) {
  static final int EXAMPLES = 20;

  /**
   * The time of the decisions.
   *
   * @param from inclusive
   * @param to exclusive
   */
  public record Period(Instant from, Instant to) {}

  public Suggestion {
    explanations = List.copyOf(explanations);
    newlyDenied = List.copyOf(newlyDenied);
  }

  /** Returns the answer of the API. */
  public JsonObject json() {
    return JsonObject.builder()
        .put("agent_id", agent.value())
        .put(
            "evidence",
            JsonObject.builder()
                .put("from", IsoInstant.millis(period.from()))
                .put("to", IsoInstant.millis(period.to()))
                .put("decisions", decisions)
                .build())
        .put("capabilities", capabilities)
        .put("limits", limits)
        .put("explanations", new JsonArray(explanations))
        .put(
            "replayed",
            JsonObject.builder()
                .put("decisions", replayed)
                .put("newly_denied", new JsonArray(newlyDenied))
                .build())
        .build();
  }
}
