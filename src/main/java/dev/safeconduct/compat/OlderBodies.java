package dev.safeconduct.compat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import java.util.List;
import java.util.Map;

/** Bodies as they are sent to older addresses, put into our own terms. */
final class OlderBodies {
  /** What a passport has no place for; it is kept in its metadata. */
  private static final List<String> METADATA = List.of("owner", "permissions");

  private static final Map<String, String> OWNER_TYPES = Map.of("person", "user", "org", "org");

  private OlderBodies() {}

  /** {@code {passport_id, policy_id, context}}; what else is sent goes along. */
  static JsonObject decide(JsonObject body) {
    JsonValue agent = body.present("passport_id");
    JsonObject plain = body.without("passport_id").without("policy_id");
    return agent == null || body.present("agent_id") != null
        ? plain
        : plain.with("agent_id", agent);
  }

  /** {@code {agent_id, reason}}. */
  static JsonObject suspend(JsonObject body) {
    JsonObject.Builder plain = JsonObject.builder();
    for (String name : List.of("agent_id", "reason")) {
      JsonValue value = body.present(name);
      if (value != null) {
        plain.put(name, value);
      }
    }
    return plain.put("status", "suspended").build();
  }

  /** {@code {url, events}}. */
  static JsonObject webhookTest(JsonObject body) {
    JsonObject.Builder plain = JsonObject.builder();
    put(plain, "webhook_url", body, List.of("webhook_url", "url"));
    put(plain, "webhook_secret", body, List.of("webhook_secret", "secret"));
    put(plain, "test_agent_id", body, List.of("test_agent_id", "agent_id"));
    return plain.build();
  }

  private static void put(
      JsonObject.Builder to, String name, JsonObject body, List<String> spellings) {
    for (String spelling : spellings) {
      JsonValue value = body.present(spelling);
      if (value != null) {
        to.put(name, value);
        return;
      }
    }
  }

  /** A passport of older terms: an owner's name and permissions that are mere words. */
  static JsonObject passport(JsonObject body) {
    Members members = Members.of(body);
    JsonObject metadata = members.members("metadata").map(Members::object).orElse(JsonObject.EMPTY);
    JsonObject plain = body;
    for (String name : METADATA) {
      JsonValue value = body.present(name);
      if (value != null && !metadata.has(name)) {
        metadata = metadata.with(name, value);
      }
      plain = plain.without(name);
    }
    if (!metadata.isEmpty()) {
      plain = plain.with("metadata", metadata);
    }
    String type = OWNER_TYPES.get(members.text("controller_type").orElse(""));
    return type == null || body.has("owner_type")
        ? plain
        : plain.with("owner_type", new JsonString(type));
  }

  /** As {@link #passport}; one without a name is called as its owner, else as its id. */
  static JsonObject newPassport(JsonObject body) {
    JsonObject plain = passport(body);
    for (String name : List.of("name", "owner", "agent_id")) {
      JsonValue value = body.present(name);
      if (value != null) {
        return plain.with("name", value);
      }
    }
    return plain;
  }
}
