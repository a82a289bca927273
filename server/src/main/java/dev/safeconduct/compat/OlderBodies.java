package dev.safeconduct.compat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Converts bodies of older addresses to the current form. */
final class OlderBodies {
  /** Members that a passport does not have. They are stored in its metadata. */
  private static final List<String> METADATA = List.of("owner", "permissions");

  private static final Map<String, String> OWNER_TYPES = Map.of("person", "user", "org", "org");

  /** The older names of {@link #decide}, by current name. The first present name counts. */
  static final Map<String, List<String>> OF_DECIDE = Map.of("agent_id", List.of("passport_id"));

  /** The same for {@link #webhookTest}. */
  static final Map<String, List<String>> OF_WEBHOOK_TEST =
      Map.of(
          "webhook_url", List.of("url"),
          "webhook_secret", List.of("secret"),
          "test_agent_id", List.of("agent_id"));

  /** The same for {@link #newPassport}. */
  static final Map<String, List<String>> OF_NEW_PASSPORT =
      Map.of("name", List.of("owner", "agent_id"));

  private OlderBodies() {}

  /** Returns the older names that this body uses instead of current names. */
  static Map<String, String> used(JsonObject body, Map<String, List<String>> older) {
    var used = new HashMap<String, String>();
    older.forEach((name, spellings) -> {
      if (body.present(name) == null) {
        spellings.stream()
            .filter(spelling -> body.present(spelling) != null)
            .findFirst()
            .ifPresent(spelling -> used.put(name, spelling));
      }
    });
    return used;
  }

  /** Converts {@code {passport_id, policy_id, context}}. Other members are unchanged. */
  static JsonObject decide(JsonObject body) {
    JsonValue agent = body.present("passport_id");
    JsonObject plain = body.without("passport_id").without("policy_id");
    return agent == null || body.present("agent_id") != null
        ? plain
        : plain.with("agent_id", agent);
  }

  /** {@code {agent_id, reason}}. */
  static JsonObject suspend(JsonObject body) {
    return body.only(List.of("agent_id", "reason")).with("status", "suspended");
  }

  /** {@code {url, events}}. */
  static JsonObject webhookTest(JsonObject body) {
    JsonObject.Builder plain = JsonObject.builder();
    Map<String, String> used = used(body, OF_WEBHOOK_TEST);
    for (String name : List.of("webhook_url", "webhook_secret", "test_agent_id")) {
      JsonValue value = body.present(used.getOrDefault(name, name));
      if (value != null) {
        plain.put(name, value);
      }
    }
    return plain.build();
  }

  /** Converts an older passport, which has an owner's name and permissions as plain texts. */
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
    return type == null || body.has("owner_type") ? plain : plain.with("owner_type", type);
  }

  /** As {@link #passport}, but a missing name is replaced by the owner, else by the id. */
  static JsonObject newPassport(JsonObject body) {
    JsonValue name = body.present(used(body, OF_NEW_PASSPORT).getOrDefault("name", "name"));
    JsonObject plain = passport(body);
    return name == null ? plain : plain.with("name", name);
  }
}
