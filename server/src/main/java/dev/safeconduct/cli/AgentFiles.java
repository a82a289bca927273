package dev.safeconduct.cli;

import dev.safeconduct.config.ReleaseFile;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A coding agent as {@code hook-files.json} describes it: where its hooks stand, how an entry looks
 * and what the agent does when a hook fails.
 */
record AgentFiles(String id, JsonObject data) {
  private static final JsonObject ALL = ReleaseFile.read("hook-files.json");

  /** A file of a scope; the last part of the path may be {@code *.json}. */
  record Place(String file, String form) {}

  /** What an agent of an older version does. */
  record Limit(String below, String says) {}

  /** Text in a file that turns hooks off. */
  record Switch(String file, String text, String says) {}

  /** How the agent reads a denial on standard output. */
  record Denial(List<String> path, String value, List<String> reason) {}

  /** Returns all agents by id. */
  static List<AgentFiles> all() {
    return ALL.names().stream().map(AgentFiles::known).toList();
  }

  /**
   * Returns the agent.
   *
   * @throws HookFault with the known ids when there is none
   */
  static AgentFiles of(String id) throws HookFault {
    if (!ALL.has(id)) {
      throw new HookFault("\"" + id + "\" is not a known agent: " + String.join(", ", ALL.names()));
    }
    return known(id);
  }

  private static AgentFiles known(String id) {
    return new AgentFiles(id, ALL.object(id).orElseThrow());
  }

  String name() {
    return data.string("name").orElseThrow();
  }

  /** Returns the command that prints the agent's version. */
  String program() {
    return data.string("program").orElseThrow();
  }

  /** Returns what the agent does when the hook fails. */
  String failure() {
    return data.string("failure").orElseThrow();
  }

  /** Returns the first version with a closed mode; empty if the agent has none. */
  Optional<String> closedSince() {
    return data.string("closed");
  }

  /** Returns the advice for people who install in this scope. */
  List<String> notes(String scope) {
    String own = scope.equals("managed") ? "managed" : "trust";
    return Stream.concat(data.list("notes").strings(), data.string(own).stream()).toList();
  }

  /** Returns the files of the scope: user, project or managed. */
  List<Place> places(String scope) {
    boolean mac = System.getProperty("os.name", "").startsWith("Mac");
    return data.child("places").objects(scope).stream()
        .map(place ->
            new Place(
                place.string(mac && place.has("macos") ? "macos" : "file").orElseThrow(),
                place.string("form").orElse("hooks")))
        .toList();
  }

  /** Returns how hooks are written in files of this form. */
  HookFormat format(String form) {
    JsonObject source = data.object("forms").flatMap(forms -> forms.object(form)).orElseThrow();
    return source
        .array("toml")
        .<HookFormat>map(toml -> new TomlHooks(id, toml.texts()))
        .orElseGet(() -> new JsonHooks(id, source, data.isTrue("comments")));
  }

  /** Returns the variable that moves the agent's folder and the folder. */
  Optional<JsonObject> home() {
    return data.object("home");
  }

  List<Limit> limits() {
    return data.objects("versions").stream()
        .map(limit ->
            new Limit(limit.string("below").orElseThrow(), limit.string("says").orElseThrow()))
        .toList();
  }

  List<Switch> switches() {
    return data.objects("switches").stream()
        .map(each ->
            new Switch(
                each.string("file").orElseThrow(),
                each.string("text").orElseThrow(),
                each.string("says").orElseThrow()))
        .toList();
  }

  /** Returns how a denial looks on standard output; empty if the agent reads only the status. */
  Optional<Denial> denial() {
    return data.object("denied")
        .map(denied ->
            new Denial(
                denied.array("path").orElseThrow().texts(),
                denied.string("value").orElseThrow(),
                denied.array("reason").orElseThrow().texts()));
  }

  /** Returns what may stand on standard output when a call may go on. */
  List<String> allowed() {
    return data.array("allowed").orElseThrow().texts();
  }

  /** Whether the call that must be allowed is a read of a file: the agent has no lesser tool. */
  boolean readsToBeAllowed() {
    return canaries().isTrue("read");
  }

  /** Returns what the agent would send for a call: {@code deny} or {@code allow}. */
  JsonValue canary(String kind, String config, String folder) {
    return replaced(
        Objects.requireNonNull(canaries().get(kind)),
        text -> text.replace("{config}", config).replace("{folder}", folder));
  }

  private JsonObject canaries() {
    return data.object("canaries").orElseThrow();
  }

  /** Returns the value with all its texts replaced. */
  static JsonValue replaced(JsonValue value, UnaryOperator<String> by) {
    return switch (value) {
      case JsonString text -> new JsonString(by.apply(text.value()));
      case JsonArray array ->
          new JsonArray(array.elements().stream().map(each -> replaced(each, by)).toList());
      case JsonObject object -> {
        var members = JsonObject.builder();
        object.forEach((name, member) -> members.put(name, replaced(member, by)));
        yield members.build();
      }
      case JsonBoolean _, JsonNull _, JsonNumber _, JsonOverflow _ -> value;
    };
  }
}
