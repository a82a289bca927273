package dev.safeconduct.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The events of agents under {@code cases/hooks}, and the passport that they are asked for. */
final class HookCases {
  static final List<String> AGENTS =
      List.of(
          "claude-code",
          "cursor",
          "codex",
          "gemini-cli",
          "copilot",
          "vscode",
          "windsurf",
          "goose",
          "kiro",
          "amazon-q");

  private static final Set<String> CAPTURED =
      Set.of("claude-code", "codex", "gemini-cli", "copilot");

  private static final String EVENTS =
      "hook_event_name hookEventName hookName agent_action_name event";

  private HookCases() {}

  /**
   * One event with the expected answer.
   *
   * @param optional members without which the event means the same
   */
  record Case(
      String agent, String about, JsonObject event, JsonObject expected, List<String> optional) {
    String eventName() {
      return name(event);
    }
  }

  static String name(JsonObject event) {
    return Stream.of(EVENTS.split(" "))
        .flatMap(name -> event.string(name).stream())
        .findFirst()
        .orElse("");
  }

  static List<Case> of(String agent) {
    Stream<String> files =
        CAPTURED.contains(agent) ? Stream.of("documented", "captured") : Stream.of("documented");
    return files.flatMap(file -> of(agent, "hooks/" + agent + "/" + file + ".json")).toList();
  }

  private static Stream<Case> of(String agent, String file) {
    JsonObject all = CaseFile.object(file);
    JsonObject common = all.object("common").orElseThrow();
    List<String> optional = all.array("optional").orElseThrow().texts();
    return all.array("cases").orElseThrow().elements().stream()
        .map(JsonObject.class::cast)
        .map(each ->
            new Case(
                agent,
                each.string("about").orElseThrow(),
                common.toBuilder().putAll(each.object("event").orElseThrow()).build(),
                each,
                Stream.concat(
                        optional.stream(),
                        each.array("optional").orElse(JsonArray.EMPTY).texts().stream())
                    .toList()));
  }

  /** The caller with the passport of all cases. */
  static Calls caller(TestService service) {
    Reply made = service.owner().post("/api/passports", CaseFile.object("hooks/passport.json"));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    return service.owner().with("Safeconduct-Agent", made.string("agent_id"));
  }

  static Reply send(Calls caller, Case one, JsonObject event) {
    String query = one.expected().string("query").orElse("");
    return caller.post("/api/hooks/" + one.agent() + query, event);
  }

  /** The records that one request has made, in order. */
  static List<JsonObject> records(TestService service, Reply reply) {
    String id = reply.header("X-Request-Id").orElseThrow();
    JsonArray found =
        service.owner().get("/api/audit?limit=100").json().array("records").orElseThrow();
    return found.elements().reversed().stream()
        .<JsonObject>map(JsonObject.class::cast)
        .filter(record ->
            record.object("details").orElseThrow().string("request_id").orElse("").equals(id))
        .toList();
  }

  /** Whether the object has all these members with these values. */
  static void hasAll(JsonObject object, JsonObject members) {
    members.forEach((name, value) -> {
      JsonValue found = object.get(name);
      assertThat(found).as(name + " in " + object).isEqualTo(value);
    });
  }
}
