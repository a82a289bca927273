package dev.safeconduct.replay;

import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Passports as they were. The one of today is kept whole; of earlier ones the log has every member
 * that a judgement looks at by itself, put together here from the records of their changes.
 */
final class Passports {
  /** The members whose values the records of changes hold. */
  private static final Set<String> RECORDED =
      Set.of(
          "name",
          "slug",
          "role",
          "capabilities",
          "limits",
          "regions",
          "mcp",
          "expires_at",
          "never_expires",
          "assurance_level",
          "status",
          "agent_id");

  /** Stands among the states of an instance. */
  private static final String INSTANCE = "instance";

  private final Past past;
  private final Map<AgentId, Map<String, JsonObject>> known = new HashMap<>();

  Passports(Past past) {
    this.past = past;
  }

  /** A passport that was judged by, or why it is not known any more. */
  sealed interface Found {
    /** {@code instance}: whether it is one of a template, which is judged by as well. */
    record Known(JsonObject passport, boolean instance) implements Found {}

    record Gone(String why) implements Found {}
  }

  /**
   * The passport with the digest.
   *
   * @param reads members that the pack's rules read by name
   * @param readsAll whether they may read any
   */
  Found find(AgentId agent, String digest, Set<String> reads, boolean readsAll) {
    Map<String, JsonObject> states = known.computeIfAbsent(agent, this::states);
    boolean instance = states.containsKey(INSTANCE);
    JsonObject whole = states.get("whole " + digest);
    if (whole != null) {
      return new Found.Known(whole, instance);
    }
    JsonObject parts = states.get(digest);
    if (parts == null) {
      return new Found.Gone("the passport as it was then is not recorded");
    }
    if (readsAll) {
      return new Found.Gone("the passport has changed since, and the pack may read all of it");
    }
    for (String name : reads) {
      if (!RECORDED.contains(name)) {
        return new Found.Gone(
            "the passport has changed since, and the pack reads its member " + name);
      }
    }
    return new Found.Known(parts, instance);
  }

  /** The passport's states by digest; that of today, kept whole, under a name of its own. */
  private Map<String, JsonObject> states(AgentId agent) {
    var states = new HashMap<String, JsonObject>();
    JsonObject state = JsonObject.builder().put("agent_id", agent.value()).build();
    for (StoredRecord record : past.history(agent)) {
      Optional<JsonObject> body = parsed(record.entry().body());
      if (body.isEmpty()) {
        continue;
      }
      if (record.entry().kind() == RecordKind.PASSPORT_ISSUED) {
        state = JsonObject.builder().put("agent_id", agent.value()).build();
      }
      JsonObject values = body.get().object("values").orElse(JsonObject.EMPTY);
      for (String name : body.get().array("changed").orElse(JsonArray.EMPTY).texts()) {
        JsonValue value = values.get(name);
        state = value == null ? state.without(name) : state.with(name, value);
      }
      JsonValue status = body.get().get("status");
      if (status != null) {
        state = state.with("status", status);
      }
      JsonObject then = state;
      body.get().string("passport_digest").ifPresent(digest -> states.put(digest, then));
    }
    past.passport(agent)
        .ifPresent(today -> {
          states.put("whole " + CanonicalJson.digest(today), today);
          if (today.string("kind").equals(Optional.of("instance"))) {
            states.put(INSTANCE, today);
          }
        });
    return states;
  }

  private static Optional<JsonObject> parsed(byte[] body) {
    try {
      return Optional.of(Json.parseObject(body));
    } catch (JsonFault e) {
      return Optional.empty(); // erased
    }
  }
}
