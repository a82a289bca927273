package dev.safeconduct.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Events of every agent against the running service: the answer, and what was asked and recorded.
 */
final class HookRouteTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final Calls caller = HookCases.caller(service);

  @AutoClose
  private static final TestService onPostgres =
      EachStore.POSTGRES.start(Map.of(), InstantSource.system());

  @TestFactory
  Stream<DynamicTest> answersAsTheAgentReads() {
    return HookCases.AGENTS.stream()
        .flatMap(agent -> HookCases.of(agent).stream())
        .map(one ->
            DynamicTest.dynamicTest(
                one.agent() + ": " + one.about(), () -> check(service, caller, one)));
  }

  @TestFactory
  Stream<DynamicTest> answersTheSameOnPostgres() {
    Calls theirs = HookCases.caller(onPostgres);
    return HookCases.of("claude-code").stream()
        .limit(12)
        .map(one -> DynamicTest.dynamicTest(one.about(), () -> check(onPostgres, theirs, one)));
  }

  private static void check(TestService service, Calls caller, HookCases.Case one) {
    Reply reply = HookCases.send(caller, one, one.event());
    String answer = one.expected().string("answer").orElseThrow().toUpperCase(Locale.ROOT);
    assertThat(AgentReading.of(one.agent(), one.eventName(), reply))
        .as(reply.headers() + " " + reply)
        .isEqualTo(AgentReading.Effect.valueOf(answer));
    assertThat(reply.header("Safeconduct-Error")).isEqualTo(one.expected().string("error"));
    List<JsonObject> records = HookCases.records(service, reply);
    String code = one.expected().string("code").orElse("");
    if (!code.isEmpty()) {
      assertThat(reply.header("Safeconduct-Reason").orElseThrow()).contains("(" + code + ",");
    }
    JsonArray questions = one.expected().array("questions").orElse(JsonArray.EMPTY);
    var asked = new ArrayList<String>();
    for (int i = 0; i < questions.size(); i++) {
      JsonArray question = (JsonArray) questions.get(i);
      asked.add(((JsonString) question.get(0)).value());
      if (i < records.size()) {
        HookCases.hasAll(
            records.get(i).object("details").orElseThrow().object("context").orElseThrow(),
            (JsonObject) question.get(1));
      }
    }
    if (!asked.isEmpty()) {
      assertThat(records.stream().map(record -> record.string("policy_id").orElse("-")))
          .isEqualTo(asked);
    }
    if (reply.header("Safeconduct-Error").filter(e -> !e.equals("unknown_tool")).isPresent()) {
      assertThat(records).isEmpty();
    } else {
      assertThat(reply.header("Safeconduct-Decision-Id"))
          .isEqualTo(records.getLast().string("record_id"));
      assertThat(records.getLast().string("kind"))
          .contains(
              reply.header("Safeconduct-Error").isPresent() || (asked.isEmpty() && code.isEmpty())
                  ? "hook_call"
                  : "decision");
    }
  }
}
