package dev.safeconduct.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Events that are not those of the agent: without one of their members, with one of another type,
 * and bodies that are no event at all. Each gets a deny that the agent takes for one.
 */
final class HookMutationTest {
  private static final List<JsonValue> OTHER_TYPES =
      List.of(
          new JsonNumber(5),
          JsonBoolean.TRUE,
          JsonArray.of(new JsonNumber(1)),
          JsonObject.builder().put("x", "y").build());

  @AutoClose private static final TestService service = TestService.start();

  private static final Calls caller = HookCases.caller(service);

  @TestFactory
  Stream<DynamicTest> deniesAnEventWithoutAMember() {
    return tests((one, path) -> List.of(changed(one.event(), path, null)));
  }

  @TestFactory
  Stream<DynamicTest> deniesAMemberOfAnotherType() {
    return tests((one, path) ->
        OTHER_TYPES.stream()
            .filter(type -> !type.typeName().equals(at(one.event(), path).typeName()))
            // One of them each: all for all would be thousands of requests.
            .skip(Math.floorMod((one.about() + path).hashCode(), 3))
            .limit(1)
            .map(type -> changed(one.event(), path, type))
            .toList());
  }

  @TestFactory
  Stream<DynamicTest> deniesWhatIsNoEvent() {
    var bodies = new LinkedHashMap<String, byte[]>();
    for (String text :
        List.of(
            "x",
            "null",
            "true",
            "5",
            "\"x\"",
            "[]",
            "[{}]",
            "{",
            "{}",
            "{}{}",
            "{\"a\":1,\"a\":2}",
            "{\"tool_name\":\"Bash\",\"tool_name\":\"Read\"}",
            "{'a': 1}",
            "{\"a\": NaN}",
            "{\"a\": \"\\ud800\"}")) {
      bodies.put(text, text.getBytes(StandardCharsets.UTF_8));
    }
    bodies.put("nothing", new byte[0]);
    bodies.put("NUL", new byte[] {'{', 0, '}'});
    bodies.put("not UTF-8", new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'});
    bodies.put("UTF-16", "{}".getBytes(StandardCharsets.UTF_16));
    bodies.put(
        "deep",
        ("{\"a\":" + "[".repeat(5000) + "]".repeat(5000) + "}").getBytes(StandardCharsets.UTF_8));
    bodies.put("1 MiB of blanks", " ".repeat(1 << 20).getBytes(StandardCharsets.UTF_8));
    bodies.put(
        "more than 1 MiB",
        ("{\"a\":\"" + "x".repeat(1 << 20) + "\"}").getBytes(StandardCharsets.UTF_8));
    return HookCases.AGENTS.stream()
        .flatMap(agent ->
            bodies.entrySet().stream()
                .map(body ->
                    DynamicTest.dynamicTest(
                        agent + ": " + body.getKey(), () -> noEvent(agent, body.getValue()))));
  }

  /** One megabyte of a real event is an event. */
  @TestFactory
  Stream<DynamicTest> readsALargeEvent() {
    return HookCases.AGENTS.stream()
        .map(agent ->
            DynamicTest.dynamicTest(
                agent,
                () -> {
                  HookCases.Case one = HookCases.of(agent).getFirst();
                  JsonObject large =
                      one.event().toBuilder().put("padding", "x".repeat(1_000_000)).build();
                  assertThat(
                          AgentReading.of(
                              agent, one.eventName(), HookCases.send(caller, one, large)))
                      .isEqualTo(AgentReading.Effect.ALLOW);
                }));
  }

  private interface Mutation {
    List<JsonObject> of(HookCases.Case one, List<String> path);
  }

  private static Stream<DynamicTest> tests(Mutation mutation) {
    return HookCases.AGENTS.stream()
        .flatMap(agent -> HookCases.of(agent).stream())
        .map(one ->
            DynamicTest.dynamicTest(
                one.agent() + ": " + one.about(),
                () -> {
                  for (List<String> path : paths(one)) {
                    for (JsonObject event : mutation.of(one, path)) {
                      answered(one, path, event);
                    }
                  }
                }));
  }

  private static void answered(HookCases.Case one, List<String> path, JsonObject event) {
    Reply reply = HookCases.send(caller, one, event);
    AgentReading.Effect effect = AgentReading.of(one.agent(), HookCases.name(event), reply);
    if (path.stream().noneMatch(one.optional()::contains)) {
      assertThat(effect).as(path + " in " + event).isEqualTo(AgentReading.Effect.DENY);
    }
  }

  private static List<List<String>> paths(HookCases.Case one) {
    return one.event().names().stream()
        .flatMap(name ->
            Stream.concat(
                Stream.of(List.of(name)),
                one.event().object(name).stream()
                    .flatMap(inner -> inner.names().stream())
                    .map(member -> List.of(name, member))))
        .toList();
  }

  private static JsonValue at(JsonObject event, List<String> path) {
    JsonValue value = event;
    for (String name : path) {
      value = Objects.requireNonNull(((JsonObject) value).get(name));
    }
    return value;
  }

  private static JsonObject changed(
      JsonObject object, List<String> path, @Nullable JsonValue value) {
    String name = path.getFirst();
    if (path.size() > 1) {
      JsonObject inner = object.object(name).orElseThrow();
      return object.with(name, changed(inner, path.subList(1, path.size()), value));
    }
    return value == null ? object.without(name) : object.with(name, value);
  }

  private static void noEvent(String agent, byte[] body) {
    Reply reply = caller.send("POST", "/api/hooks/" + agent, body);
    assertThat(AgentReading.of(agent, "", reply)).isEqualTo(AgentReading.Effect.DENY);
    assertThat(reply.header("Safeconduct-Error")).isPresent();
  }
}
