package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.bridge.BridgedUpstream;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.policy.Pins;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.relay.Principal;
import dev.safeconduct.gateway.relay.Session;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.testkit.Answers;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.HeldServer;
import dev.safeconduct.gateway.testkit.HeldServer.Asked;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.testkit.ScriptedServer;
import dev.safeconduct.gateway.upstream.ConnectionListener;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with sessions says that its tools changed, whatever the revision of the client. */
final class ChangedToolsTest {
  private static final Message CHANGED =
      Message.notification("notifications/tools/list_changed", Map.of());

  @TempDir private Path folder = Path.of(".");
  private final HeldServer server = new HeldServer();
  private final BlockingQueue<Message> unasked = new LinkedBlockingQueue<>();

  private interface Conversation {
    void with(Session session) throws Exception;
  }

  private void talk(Conversation conversation) throws Exception {
    ServerConfig config = ServerConfig.ofCommand("test", List.of("none"), List.of());
    try (var service = new DecisionService();
        Safeconduct client =
            Safeconduct.builder().baseUrl(service.url()).apiKey("sck_test").build();
        var session =
            new Session(
                new Principal("test", "ap_test"),
                new PolicyClient(
                    client, config, new Pins(folder.resolve("pins")), false, line -> {}),
                new BridgedUpstream(
                    (memory, listener) -> server,
                    new BridgedUpstream.ServerKind(Set.of()),
                    MessageMemory.unlimited(),
                    ConnectionListener.ofEnd(() -> {})),
                Thread::startVirtualThread,
                unasked::add)) {
      conversation.with(session);
    }
  }

  private static CompletableFuture<Message> send(Session session, Message message) {
    var answer = new CompletableFuture<Message>();
    session.receive(message, Forwarded.none(), answer::complete);
    return answer;
  }

  private Asked next(String method) throws InterruptedException {
    Asked asked = server.next();
    assertThat(asked.request().method()).isEqualTo(method);
    return asked;
  }

  private void startSession() throws InterruptedException {
    next("server/discover").answer(Map.of("supportedVersions", List.of("2025-11-25")));
    next("initialize").answer(Map.of("capabilities", Map.of()));
  }

  private void listTools(String description) throws InterruptedException {
    next("tools/list").answer(Map.of("tools", List.of(ScriptedServer.tool("echo", description))));
  }

  private static String word(CompletableFuture<Message> answer) throws Exception {
    return Answers.word(answer.get(20, TimeUnit.SECONDS));
  }

  @Test
  void aClientWithoutASessionDoesNotCallAToolThatChanged() throws Exception {
    Message call =
        McpClient.stateless(
            1, "tools/call", Map.of("name", "echo", "arguments", Map.of()), Map.of());
    talk(session -> {
      CompletableFuture<Message> first = send(session, call);
      startSession();
      listTools("A tool.");
      next("tools/call").answer(Map.of("content", List.of()));
      assertThat(word(first)).isEqualTo("ok");
      server.send(CHANGED);
      CompletableFuture<Message> second = send(session, call);
      listTools("Another tool.");
      assertThat(word(second)).isEqualTo("denied gateway.tool_changed");
      assertThat(unasked).as("it has not subscribed").isEmpty();
    });
  }

  /** Over HTTP, a server may say so in the stream of any request. */
  @Test
  void aClientWithoutASessionIsNotToldInTheStreamOfACall() throws Exception {
    Message call =
        McpClient.stateless(
            1, "tools/call", Map.of("name", "echo", "arguments", Map.of()), Map.of());
    talk(session -> {
      CompletableFuture<Message> first = send(session, call);
      startSession();
      listTools("A tool.");
      Asked asked = next("tools/call");
      asked.outlet().send(CHANGED);
      asked.answer(Map.of("content", List.of()));
      assertThat(word(first)).isEqualTo("ok");
      CompletableFuture<Message> second = send(session, call);
      listTools("Another tool.");
      assertThat(word(second)).isEqualTo("denied gateway.tool_changed");
    });
  }

  @Test
  void aRequestWithoutASessionDoesNotTakeTheNewsFromTheClientsSession() throws Exception {
    talk(session -> {
      CompletableFuture<Message> list =
          send(session, McpClient.stateless(1, "tools/list", Map.of(), Map.of()));
      startSession();
      listTools("A tool.");
      assertThat(word(list)).isEqualTo("ok");
      CompletableFuture<Message> start =
          send(
              session,
              Message.request(
                  2,
                  "initialize",
                  Map.of("protocolVersion", "2025-11-25", "capabilities", Map.of())));
      next("initialize").answer(Map.of("capabilities", Map.of()));
      assertThat(word(start)).isEqualTo("ok");
      Message call =
          Message.request(3, "tools/call", Map.of("name", "echo", "arguments", Map.of()));
      CompletableFuture<Message> first = send(session, call);
      listTools("A tool.");
      next("tools/call").answer(Map.of("content", List.of()));
      assertThat(word(first)).isEqualTo("ok");
      server.send(CHANGED);
      assertThat(unasked.poll(20, TimeUnit.SECONDS)).isEqualTo(CHANGED);
      CompletableFuture<Message> second = send(session, call);
      listTools("Another tool.");
      assertThat(word(second)).isEqualTo("denied gateway.tool_changed");
    });
  }
}
