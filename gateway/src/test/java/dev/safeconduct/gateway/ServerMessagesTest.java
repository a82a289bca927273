package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.testkit.Answers;
import dev.safeconduct.gateway.testkit.Conversation;
import dev.safeconduct.gateway.testkit.RunningService;
import dev.safeconduct.gateway.testkit.ScriptedServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What of a server's messages reaches the client, and what of a client's continues a request. */
class ServerMessagesTest {
  @TempDir private Path folder = Path.of(".");
  private @Nullable ScriptedServer scripted;
  private @Nullable Conversation conversation;

  @BeforeEach
  void start() throws IOException, ConfigException {
    scripted = new ScriptedServer(folder);
    String agent =
        RunningService.shared()
            .agent(
                Map.of(
                    "allowed_servers",
                    List.of("mcp:test"),
                    "allowed_tools",
                    List.of("*"),
                    "max_calls_per_minute",
                    1000));
    conversation = Conversation.with(scripted, agent, null);
  }

  @AfterEach
  void end() throws IOException {
    client().close();
  }

  private Conversation client() {
    return Objects.requireNonNull(conversation);
  }

  private ScriptedServer server() {
    return Objects.requireNonNull(scripted);
  }

  /**
   * Calls are decided side by side: other calls pass the time until these have reached the server.
   */
  private void untilReceived(String part, int times) throws IOException {
    for (int calls = 0; calls < 500; calls++) {
      assertThat(Answers.word(client().call("echo", Map.of()))).isEqualTo("ok");
      if (server().received().stream().filter(line -> line.contains(part)).count() >= times) {
        return;
      }
    }
    throw new AssertionError("the server did not receive " + part);
  }

  private static Message call(long id, String tool, Map<String, ?> arguments) {
    return Message.request(id, "tools/call", Map.of("name", tool, "arguments", arguments));
  }

  @ParameterizedTest
  @CsvSource({"elicitation/create", "roots/list", "ping"})
  void relaysWhatTheOwnerRelays(String method) throws IOException {
    client().send(call(1, "ask", Map.of("method", method)).bytes());
    Message asked = client().next();
    assertThat(asked.method()).isEqualTo(method);
    client().send(Message.result(asked.id(), Map.of()).bytes());
    assertThat(Answers.text(client().response(1L))).isEqualTo("answered");
    client().send(Message.result(asked.id(), Map.of("again", true)).bytes());
    assertThat(Answers.word(client().ask("ping", Map.of()))).isEqualTo("ok");
    assertThat(server().received()).noneMatch(line -> line.contains("again"));
  }

  @ParameterizedTest
  @CsvSource({"sampling/createMessage", "tools/call", "admin/reset"})
  void refusesWhatTheOwnerDoesNot(String method) throws IOException {
    assertThat(Answers.text(client().call("ask", Map.of("method", method))))
        .isEqualTo("refused -32601");
    assertThat(client().others()).isEmpty();
    assertThat(Answers.word(client().call("input", Map.of("method", method))))
        .isEqualTo("error -32603");
    assertThat(Answers.word(client().call("input", Map.of("method", "elicitation/create"))))
        .isEqualTo("ok");
  }

  @Test
  void progressIsOfTheClientsOwnRequests() throws IOException {
    Map<String, ?> params = Map.of("name", "progress", "_meta", Map.of("progressToken", "mine"));
    assertThat(Answers.text(client().ask("tools/call", params))).isEqualTo("done");
    assertThat(client().others())
        .singleElement()
        .satisfies(
            progress -> assertThat(progress.params()).containsEntry("progressToken", "mine"));
  }

  @Test
  void aClientCancelsItsOwnRequest() throws IOException {
    client().send(call(1, "wait", Map.of()).bytes());
    untilReceived("\"wait\"", 1);
    client().send(Message.notification("notifications/cancelled", Map.of("requestId", 1)).bytes());
    assertThat(Answers.text(client().response(1L))).isEqualTo("cancelled");
  }

  @Test
  void aLateResponseIsNotOneToALaterRequest() throws IOException {
    String late = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    client().send(call(1, "raw", Map.of("line", "")).bytes());
    untilReceived("\"raw\"", 1);
    client().send(Message.notification("notifications/cancelled", Map.of("requestId", 1)).bytes());
    client().send(call(1, "raw", Map.of("line", "")).bytes());
    untilReceived("\"raw\"", 2);
    client().send(call(2, "raw", Map.of("line", late)).bytes());
    untilReceived("\"raw\"", 3);
    client().send(call(1, "echo", Map.of()).bytes());
    assertThat(Answers.word(client().response(1L))).isEqualTo("error -32600");
  }

  @Test
  void anIdIsUsedOnceAtATime() throws IOException {
    client().send(call(1, "wait", Map.of()).bytes());
    client().send(call(1, "echo", Map.of()).bytes());
    assertThat(Answers.word(client().response(1L))).isEqualTo("error -32600");
  }

  @Test
  void tasksAreThoseThatTheClientStarted() throws IOException {
    client().send(call(7, "task", Map.of()).bytes());
    assertThat(Answers.word(client().response(7L))).isEqualTo("ok");
    assertThat(Answers.word(client().ask("tasks/get", Map.of("taskId", "task-7")))).isEqualTo("ok");
    assertThat(Answers.word(client().ask("tasks/get", Map.of("taskId", "task-8"))))
        .isEqualTo("error -32602");
    assertThat(client().ask("tasks/list", Map.of()).result()).containsEntry("tasks", List.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"a\":1,\"a\":2}} | error -32603",
        "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{},\"error\":{}} | error -32603",
        "starting up… | none",
        "{\"jsonrpc\":\"2.0\",\"id\":\"nobody's\",\"result\":{}} | none",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"} | none",
        "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"_meta\":{\"safeconduct/decision_id\":\"x\",\"safeconduct/decision_ids\":\"x\"}}} | ok",
      })
  void whatTheServerPrintsIsChecked(String line, String answer) throws IOException {
    client().send(call(1, "raw", Map.of("line", line)).bytes());
    if (!answer.equals("none")) {
      Message response = client().response(1L);
      assertThat(Answers.word(response)).isEqualTo(answer);
      assertThat(Answers.meta(response)).doesNotContainValue("x");
    }
    assertThat(Answers.word(client().ask("ping", Map.of()))).isEqualTo("ok");
    assertThat(client().others()).isEmpty();
  }

  @Test
  void requestsGetAnErrorWhenTheServerEnds() throws IOException {
    assertThat(Answers.word(client().call("exit", Map.of()))).isEqualTo("error -32603");
    assertThat(Answers.word(client().call("echo", Map.of()))).isEqualTo("error -32603");
  }
}
