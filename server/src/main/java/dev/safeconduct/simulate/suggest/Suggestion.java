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
 * @param members {@code capabilities} and {@code limits}, and {@code regions} and {@code mcp} where
 *     they change; in the form of the passport's own members
 * @param explanations what changes or stays, each with the reason
 * @param replayed the number of decisions that were evaluated again
 * @param newlyDenied those that the suggestion would deny, at most {@link #EXAMPLES}
 */
public record Suggestion(
    AgentId agent,
    Basis basis,
    JsonObject members,
    List<JsonValue> explanations,
    long replayed,
    List<JsonValue> newlyDenied) {
  static final int EXAMPLES = 20;

  /**
   * The decisions of a period that should stay allowed.
   *
   * @param from inclusive
   * @param to exclusive
   * @param decisions their number
   * @param digest {@code sha256:} and hex digits over their ids, 16 bytes each, in the log's order
   */
  public record Basis(Instant from, Instant to, long decisions, String digest) {}

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
                .put("from", IsoInstant.millis(basis.from()))
                .put("to", IsoInstant.millis(basis.to()))
                .put("decisions", basis.decisions())
                .put("digest", basis.digest()))
        .putAll(members)
        .put("explanations", new JsonArray(explanations))
        .put(
            "replayed",
            JsonObject.builder()
                .put("decisions", replayed)
                .put("newly_denied", new JsonArray(newlyDenied)))
        .build();
  }
}
