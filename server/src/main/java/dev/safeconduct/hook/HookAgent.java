package dev.safeconduct.hook;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A coding agent: how its events are written, which tools it has, and how it reads an answer.
 *
 * @param joined how the agent joins an MCP server's name and a tool's, if it does
 */
record HookAgent(
    String name,
    AnswerForm form,
    JsonObject shape,
    JsonObject tools,
    Set<String> noAction,
    Optional<JsonObject> joined) {
  /**
   * Reads the agent's specification; agents may share that of another.
   *
   * @param all the specifications of all agents
   */
  static HookAgent read(String name, JsonObject all) {
    JsonObject own = all.object(name).orElseThrow();
    JsonObject shape = own.string("same_as").flatMap(all::object).orElse(own);
    JsonObject tools = shape.string("same_tools_as").flatMap(all::object).orElse(shape);
    return new HookAgent(
        name,
        AnswerForm.valueOf(shape.string("answer").orElseThrow().toUpperCase(Locale.ROOT)),
        shape,
        tools.child("tools"),
        Set.copyOf(tools.list("no_action").texts()),
        shape.object("mcp"));
  }

  /** Returns the name of the event in the body; empty if it has none. */
  String event(JsonObject body) {
    return new Shape(body).text(get("event")).orElse("");
  }

  /**
   * Reads an event.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for an event of another form, 404 for one
   *     that is not of a tool's use
   */
  ToolCall call(JsonObject body) {
    var whole = new Shape(body);
    String name = event(body);
    JsonObject event = eventShape(name);
    Optional<String> input = event.string("input");
    return new ToolCall(
        name,
        event.string("tool").map(whole::required).orElse(name),
        input
            .map(at -> whole.members(at).orElseThrow(() -> Shape.wrong(at, "is missing")))
            .orElse(body),
        whole.first(get("cwd")),
        whole.text(get("session")),
        whole.text(get("user")),
        whole);
  }

  /** Returns the rows of the tool; empty if the agent has no such tool. */
  List<ToolRow> rows(ToolCall call) {
    JsonObject event = eventShape(call.event());
    JsonObject others = event.string("also").flatMap(shape::object).orElse(JsonObject.EMPTY);
    return Stream.of(event.get("row"), tools.get(call.tool()), others.get(call.tool()))
        .filter(Objects::nonNull)
        .findFirst()
        .map(ToolRow::read)
        .orElse(List.of());
  }

  /** Whether the agent asks its user when the answer to this event says so. */
  boolean asks(String event) {
    return events().object(event).filter(shape -> shape.isTrue("ask")).isPresent();
  }

  private JsonObject eventShape(String event) {
    if (events().get(event) instanceof JsonObject shape) {
      return shape;
    }
    throw event.isEmpty()
        ? Shape.wrong(get("event"), "is missing")
        : ProblemException.notFound(
            "This route does not answer the event of that name; use "
                + String.join(", ", events().names())
                + ".",
            "unknown_event",
            Map.of());
  }

  private JsonObject events() {
    return shape.object("events").orElseThrow();
  }

  private String get(String name) {
    return shape.text(name);
  }

  static Map<String, HookAgent> readAll(JsonObject all) {
    return all.names().stream()
        .collect(Collectors.toUnmodifiableMap(name -> name, name -> read(name, all)));
  }
}
