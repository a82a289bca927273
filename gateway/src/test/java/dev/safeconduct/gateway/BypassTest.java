package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.testkit.Answers;
import dev.safeconduct.gateway.testkit.Conversation;
import dev.safeconduct.gateway.testkit.RunningService;
import dev.safeconduct.gateway.testkit.ScriptedServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Attempts to get past the gateway ({@code cases/bypass.json}); one client makes all of them. */
class BypassTest {
  private static @Nullable Conversation client;
  private static @Nullable ScriptedServer server;

  @BeforeAll
  static void start(@TempDir Path folder) throws IOException, ConfigException {
    server = new ScriptedServer(folder);
    String agent =
        RunningService.shared()
            .agent(
                Map.of(
                    "allowed_servers",
                    List.of("mcp:test"),
                    "allowed_tools",
                    List.of("echo"),
                    "max_calls_per_minute",
                    10_000));
    client = Conversation.with(server, agent, folder.resolve("pins"));
    assertThat(client.tools()).containsExactly("echo");
  }

  @AfterAll
  static void end() throws IOException {
    Objects.requireNonNull(client).close();
  }

  @TestFactory
  Stream<DynamicTest> nothingReachesTheServerThatIsNotAllowed() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(BypassTest.class.getResourceAsStream("/cases/bypass.json"))) {
      var cases = new ArrayList<DynamicTest>();
      for (Object each : (List<?>) Objects.requireNonNull(Json.parse(in.readAllBytes()))) {
        Map<String, @Nullable Object> attempt = Message.objectOrEmpty(each);
        cases.add(
            DynamicTest.dynamicTest(String.valueOf(attempt.get("name")), () -> attempt(attempt)));
      }
      return cases.stream();
    }
  }

  private static void attempt(Map<String, @Nullable Object> attempt) throws IOException {
    Conversation gateway = Objects.requireNonNull(client);
    ScriptedServer received = Objects.requireNonNull(server);
    String line = line(attempt);
    int before = received.received().size();
    gateway.send(line);
    if (attempt.get("answer") != null) {
      Object id = attempt.containsKey("id") ? attempt.get("id") : Long.valueOf(1);
      assertThat(Answers.word(gateway.response(id))).isEqualTo(attempt.get("answer"));
    }
    assertThat(Answers.word(gateway.ask("ping", Map.of()))).isEqualTo("ok");
    List<String> lines = received.received();
    List<String> reached =
        lines.subList(before, lines.size()).stream()
            .filter(each -> !each.contains("\"ping\""))
            .toList();
    assertThat(reached)
        .isEqualTo(Boolean.TRUE.equals(attempt.get("reaches")) ? List.of(line) : List.of());
  }

  private static String line(Map<String, @Nullable Object> attempt) {
    String line = String.valueOf(attempt.get("send"));
    if (attempt.get("fill") instanceof Integer fill) {
      line = line.replace("$FILL", "x".repeat(fill));
    }
    if (attempt.get("deep") instanceof Integer deep) {
      line = line.replace("$OPEN", "[".repeat(deep)).replace("$CLOSE", "]".repeat(deep));
    }
    return line;
  }

  @Test
  void bytesThatAreNotUtf8AreRefused() throws IOException {
    Conversation gateway = Objects.requireNonNull(client);
    byte[] line =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"a\":\"ÿ\"}}}"
            .getBytes(StandardCharsets.ISO_8859_1);
    gateway.send(line);
    assertThat(Answers.word(gateway.response(null))).isEqualTo("error -32700");
  }

  @Test
  void aDeniedCallNamesItsDecisionAndNoArgumentIsLogged() throws IOException {
    Conversation gateway = Objects.requireNonNull(client);
    Message denied = gateway.call("hidden", Map.of("secret", "the value of an argument"));
    assertThat(Answers.meta(denied))
        .containsKey("safeconduct/decision_id")
        .containsEntry("safeconduct/code", "oap.tool_not_allowed");
    assertThat(Answers.text(denied)).isEqualTo("Unknown tool: hidden");
    assertThat(Answers.meta(gateway.call("echo", Map.of()))).containsKey("safeconduct/decision_id");
    assertThat(gateway.log()).anyMatch(line -> line.contains("code=oap.tool_not_allowed"));
    assertThat(gateway.log()).noneMatch(line -> line.contains("the value"));
  }

  @Test
  void theLogHasTheCodeOfTheAnswer() throws IOException {
    Conversation gateway = Objects.requireNonNull(client);
    Object deep = Map.of();
    for (int i = 0; i < 40; i++) {
      deep = Map.of("a", deep);
    }
    Message denied = gateway.call("echo", Map.of("a", deep));
    assertThat(Answers.meta(denied)).containsEntry("safeconduct/code", "gateway.invalid_request");
    assertThat(gateway.log())
        .anyMatch(line -> line.contains("denied") && line.contains("code=gateway.invalid_request"));
  }
}
