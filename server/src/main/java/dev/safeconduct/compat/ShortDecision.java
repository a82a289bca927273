package dev.safeconduct.compat;

import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * The response for the oldest Python SDK, which fails on any unknown member. Its successor has the
 * same user agent, but only the older SDK sends {@code agent_id} at the top level.
 */
public final class ShortDecision {
  private static final List<String> MEMBERS =
      List.of(
          DecisionJson.DECISION_ID,
          DecisionJson.ALLOW,
          DecisionJson.REASONS,
          DecisionJson.ASSURANCE_LEVEL,
          DecisionJson.EXPIRES_IN,
          DecisionJson.PASSPORT_DIGEST,
          DecisionJson.CREATED_AT);

  private ShortDecision() {}

  public static boolean wanted(Optional<String> userAgent, JsonObject body) {
    return isSpokenBy(userAgent) && body.has("agent_id");
  }

  /** Whether the user agent is that of the SDK or its successor. */
  public static boolean isSpokenBy(Optional<String> userAgent) {
    return userAgent.filter(agent -> agent.startsWith("aport-sdk-python")).isPresent();
  }

  public static JsonObject of(JsonObject decision, String signature) {
    return decision.only(MEMBERS).with(DecisionJson.SIGNATURE, signature);
  }
}
