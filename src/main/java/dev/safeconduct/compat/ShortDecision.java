package dev.safeconduct.compat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import java.util.Optional;

/**
 * The answer for the oldest Python SDK, which breaks on any member it does not know. Its user agent
 * is that of its successor too; only the older one sends {@code agent_id} at the top level.
 */
public final class ShortDecision {
  private static final List<String> MEMBERS =
      List.of(
          "decision_id",
          "allow",
          "reasons",
          "assurance_level",
          "expires_in",
          "passport_digest",
          "created_at");

  private ShortDecision() {}

  public static boolean wanted(Optional<String> userAgent, JsonObject body) {
    return isSpokenBy(userAgent) && body.has("agent_id");
  }

  /** Whether it is that SDK or its successor, where nothing else tells them apart. */
  public static boolean isSpokenBy(Optional<String> userAgent) {
    return userAgent.filter(agent -> agent.startsWith("aport-sdk-python")).isPresent();
  }

  public static JsonObject of(JsonObject decision, String signature) {
    JsonObject.Builder answer = JsonObject.builder();
    for (String name : MEMBERS) {
      JsonValue value = decision.get(name);
      if (value != null) {
        answer.put(name, value);
      }
    }
    return answer.put("signature", new JsonString(signature)).build();
  }
}
