package dev.safeconduct.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Requests that cannot be decided: a status of 200 and the agent's deny, whatever is wrong. */
final class HookFailureTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final Calls caller = HookCases.caller(service);

  @TestFactory
  Stream<DynamicTest> deniesWhatOtherRoutesRefuse() {
    String org = service.org();
    Calls owner = service.owner();
    String scoped = "{'name': 'k', 'scopes': ['issue']}";
    String elsewhere = Questions.Tenant.made(service, "Other", "'read'").key();
    String passport = Questions.hosted(service, 9);
    Questions.status(service, passport, "suspended");
    var callers = new LinkedHashMap<String, Calls>();
    callers.put("unauthorized: none", service.nobody());
    callers.put("unauthorized: wrong", service.nobody().with("Authorization", "Bearer x"));
    callers.put("forbidden: scope", service.withKey(Questions.newKey(service, org, scoped)));
    callers.put("invalid_request: no agent", owner);
    callers.put("passport_not_found: unknown", owner.with("Safeconduct-Agent", "ap_none"));
    callers.put(
        "passport_not_found: of others",
        service.withKey(elsewhere).with("Safeconduct-Agent", passport));
    callers.put("unsupported_media_type: text", caller.with("Content-Type", "text/plain"));
    callers.put("invalid_request: long headers", caller.with("X-Long", "x".repeat(40_000)));
    return HookCases.AGENTS.stream()
        .flatMap(agent ->
            callers.entrySet().stream()
                .map(each ->
                    DynamicTest.dynamicTest(
                        agent + ": " + each.getKey(),
                        () -> {
                          HookCases.Case one = HookCases.of(agent).getFirst();
                          Reply reply = HookCases.send(each.getValue(), one, one.event());
                          // The body of a refused caller is not read, nor is its event known.
                          assertThat(AgentReading.of(agent, "", reply))
                              .isEqualTo(AgentReading.Effect.DENY);
                          assertThat(reply.header("Safeconduct-Error").orElseThrow() + ":")
                              .isEqualTo(each.getKey().replaceFirst(" .*", ""));
                        })));
  }

  @TestFactory
  Stream<DynamicTest> deniesASuspendedPassport() {
    String passport = Questions.hosted(service, 9);
    Questions.status(service, passport, "suspended");
    Calls suspended = service.owner().with("Safeconduct-Agent", passport);
    return Stream.of("TodoWrite", "Read", "Nope")
        .map(tool ->
            DynamicTest.dynamicTest(
                tool,
                () -> {
                  Reply reply = suspended.post("/api/hooks/claude-code", event(tool));
                  assertThat(AgentReading.of("claude-code", "PreToolUse", reply))
                      .isEqualTo(AgentReading.Effect.DENY);
                }));
  }

  @Test
  void takesTheAgentOfTheKeyTheHeaderOrTheQuery() {
    String passport = Questions.hosted(service, 9);
    String body = event("Nope");
    String setup =
        service
            .owner()
            .post("/api/passports/" + passport + "/setup-key", "{\"scopes\": [\"read\"]}")
            .string("key");
    for (Reply reply :
        List.of(
            service.withKey(setup).post("/api/hooks/claude-code", body),
            service
                .owner()
                .with("Safeconduct-Agent", passport)
                .post("/api/hooks/claude-code", body),
            service.owner().post("/api/hooks/claude-code?agent_id=" + passport, body))) {
      assertThat(HookCases.records(service, reply).getFirst().string("agent_id"))
          .contains(passport);
    }
    Reply both =
        service
            .owner()
            .with("Safeconduct-Agent", passport)
            .post("/api/hooks/claude-code?agent_id=ap_other", body);
    assertThat(both.header("Safeconduct-Error")).contains("invalid_request");
  }

  @Test
  void deniesAnAgentThatIsNotKnown() {
    Reply reply = caller.post("/api/hooks/notepad", event("Bash"));
    assertThat(reply.header("Safeconduct-Error")).contains("unknown_agent");
    assertThat(reply.header("Safeconduct-Exit")).contains("2");
    JsonObject answer = reply.json();
    assertThat(answer.string("decision")).contains("block");
    assertThat(answer.string("reason").orElseThrow()).isNotBlank();
    assertThat(answer.string("permission")).contains("deny");
    for (JsonObject each : List.of(answer, answer.object("hookSpecificOutput").orElseThrow())) {
      assertThat(each.string("permissionDecision")).contains("deny");
      assertThat(each.string("permissionDecisionReason").orElseThrow()).isNotBlank();
    }
  }

  @Test
  void answersOtherMethodsAsAllRoutes() {
    assertThat(caller.get("/api/hooks/claude-code").status()).isEqualTo(405);
  }

  @Test
  void deniesABodyThatIsCutOff() throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), service.base().getPort())) {
      socket.setSoTimeout(20_000);
      String request =
          "POST /api/hooks/codex HTTP/1.1\r\nHost: x\r\nX-API-Key: "
              + service.key()
              + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\"";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      socket.shutdownOutput();
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 200").contains("Safeconduct-Exit: 2");
    }
  }

  @Test
  void deniesBeyondTheRateLimit() {
    try (var limited = TestService.start(Map.of("RATE_VERIFY_PER_KEY_PER_MINUTE", "1"))) {
      Calls theirs = HookCases.caller(limited);
      HookCases.Case one = HookCases.of("cursor").getFirst();
      assertThat(HookCases.send(theirs, one, one.event()).header("Safeconduct-Error")).isEmpty();
      Reply second = HookCases.send(theirs, one, one.event());
      assertThat(AgentReading.of("cursor", "", second)).isEqualTo(AgentReading.Effect.DENY);
      assertThat(second.header("Safeconduct-Error")).contains("rate_limited");
    }
  }

  @Test
  void deniesWhatCannotBeRecorded(@TempDir Path folder) throws Exception {
    try (var broken = TestService.start(folder, Map.of())) {
      Calls theirs = HookCases.caller(broken);
      try (Connection outside = EachStore.SQLITE.connection(Map.of("DATA_DIR", folder.toString()));
          Statement statement = outside.createStatement()) {
        statement.execute(
            "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(FAIL, 'full'); END");
      }
      for (String agent : HookCases.AGENTS) {
        HookCases.Case one = HookCases.of(agent).getFirst();
        Reply reply = HookCases.send(theirs, one, one.event());
        assertThat(AgentReading.of(agent, one.eventName(), reply))
            .isEqualTo(AgentReading.Effect.DENY);
        assertThat(reply.header("Safeconduct-Error").orElseThrow())
            .isIn("unavailable", "internal_server_error");
      }
      Reply noAction = theirs.post("/api/hooks/claude-code", event("TodoWrite"));
      assertThat(AgentReading.of("claude-code", "PreToolUse", noAction))
          .isEqualTo(AgentReading.Effect.DENY);
    }
  }

  static String event(String tool) {
    return "{\"hook_event_name\": \"PreToolUse\", \"cwd\": \"/srv/p\", \"tool_name\": \""
        + tool
        + "\", \"tool_input\": {\"file_path\": \"/srv/p/a\", \"content\": \"x\"}}";
  }
}
