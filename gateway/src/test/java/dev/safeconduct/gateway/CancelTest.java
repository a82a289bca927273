package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.safeconduct.gateway.bridge.BridgedUpstream;
import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.http.ToolHeaders;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.HeldServer;
import dev.safeconduct.gateway.testkit.HeldServer.Asked;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.testkit.McpServer;
import dev.safeconduct.gateway.testkit.McpServer.Kinds;
import dev.safeconduct.gateway.upstream.ConnectionListener;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.HttpTarget;
import dev.safeconduct.gateway.upstream.HttpUpstream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cancelling: of the client's own request only, after the request, and without waiting. */
final class CancelTest {
  private static final Map<String, ?> ELICITATION = Map.of("elicitation", Map.of());
  private static final Message CANCEL =
      Message.notification("notifications/cancelled", Map.of("requestId", 1));

  private static Message call(Object id, Map<String, ?> capabilities) {
    return McpClient.stateless(
        id, "tools/call", Map.of("name", "echo", "arguments", Map.of("of", id)), capabilities);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String digest(String token) throws Exception {
    byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  /** All clients of a token look the same, and any can choose the id of another's request. */
  @ParameterizedTest
  @CsvSource({"one,one", "one,two"})
  void noClientWithoutASessionCancelsTheRequestOfAnother(String owner, String other)
      throws Exception {
    var reached = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway =
            new RunningGateway(
                service.url(),
                "http:\n  listen: '127.0.0.1:0'\n  tokens:\n"
                    + "    - {name: one, sha256: "
                    + digest("one")
                    + ", agent_id: ap_1}\n"
                    + "    - {name: two, sha256: "
                    + digest("two")
                    + ", agent_id: ap_2}\n"
                    + "servers: {test: {url: '"
                    + server.url()
                    + "'}}\n",
                Map.of());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      server.script((exchange, request) -> {
        if (request.method().equals("tools/call")) {
          reached.countDown();
          await(goOn);
        }
        return false;
      });
      McpClient first = gateway.client().with("Authorization", "Bearer " + owner);
      Future<McpClient.Answer> answer =
          threads.submit(() -> first.sendStateless(call(1, Map.of())));
      await(reached);
      McpClient second = gateway.client().with("Authorization", "Bearer " + other);
      assertThat(second.sendStateless(CANCEL).status()).isEqualTo(202);
      goOn.countDown();
      assertThat(answer.get(20, TimeUnit.SECONDS).text()).isEqualTo("{\"of\":1}");
    } finally {
      goOn.countDown();
    }
  }

  /** The id of a call that waits for input is free: its client has a result. */
  @Test
  void cancellingLeavesAnotherCallThatWaitsForInput() throws Exception {
    var server = new HeldServer();
    var kind = new BridgedUpstream.ServerKind(Set.of("elicitation/create"));
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        var upstream =
            new BridgedUpstream(
                (memory, listener) -> server,
                kind,
                MessageMemory.unlimited(),
                ConnectionListener.ofEnd(() -> {}))) {
      var asked = new CompletableFuture<Message>();
      Future<?> first =
          threads.submit(
              () -> upstream.request(call(1, ELICITATION), Forwarded.none(), asked::complete));
      server.next().answer(Map.of("supportedVersions", List.of("2025-11-25")));
      server.next().answer(Map.of("capabilities", Map.of()));
      assertThat(server.nextTold().method()).isEqualTo("notifications/initialized");
      Asked waits = server.next();
      first.get(20, TimeUnit.SECONDS);
      waits.outlet().send(Message.request("e", "elicitation/create", Map.of()));
      assertThat(asked.get(20, TimeUnit.SECONDS).result()).containsKey("requestState");
      upstream.request(call(1, ELICITATION), Forwarded.none(), answer -> {});
      Asked other = server.next();
      upstream.notify(CANCEL, Forwarded.none());
      assertThat(server.nextTold().params()).containsEntry("requestId", other.request().id());
      assertThat(server.told()).isEmpty();
    }
  }

  /** Until then the server does not know the request, and would begin it after its cancel. */
  @Test
  void aRequestThatIsCancelledBeforeItIsSentStaysUnsent() throws Exception {
    var server = new HeldServer();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        var upstream =
            new BridgedUpstream(
                (memory, listener) -> server,
                new BridgedUpstream.ServerKind(Set.of("elicitation/create")),
                MessageMemory.unlimited(),
                ConnectionListener.ofEnd(() -> {}))) {
      var answer = new CompletableFuture<Message>();
      Future<?> request =
          threads.submit(
              () -> upstream.request(call(1, Map.of()), Forwarded.none(), answer::complete));
      Asked discover = server.next();
      assertThat(discover.request().method()).isEqualTo("server/discover");
      upstream.notify(CANCEL, Forwarded.none());
      discover.answer(Map.of("supportedVersions", List.of(Revision.STATELESS)));
      assertThat(answer.get(20, TimeUnit.SECONDS).error()).isNotNull();
      request.get(20, TimeUnit.SECONDS);
      assertThat(server.told()).isEmpty();
      assertThat(server.asked()).isEmpty();
    }
  }

  private static HttpUpstream connect(McpServer server) {
    return new HttpUpstream(
        HttpUpstream.newClient(true),
        new HttpTarget(URI.create(server.url()), Map.of(), Duration.ofMinutes(2), 1000),
        MessageMemory.unlimited(),
        new ToolHeaders(),
        ConnectionListener.ofEnd(() -> {}),
        line -> {});
  }

  private static void accept(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(202, -1);
  }

  /** The thread that reads a client's messages brings it. */
  @Test
  void aCancelDoesNotWaitForTheServer() throws Exception {
    var reached = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var upstream = connect(server)) {
      server.script((exchange, request) -> {
        reached.countDown();
        server.awaitStop();
        return true;
      });
      Message slow = Message.request(1, "ping", Map.of());
      var _ = threads.submit(() -> upstream.request(slow, Forwarded.none(), answer -> {}));
      await(reached);
      threads.submit(() -> upstream.notify(CANCEL, Forwarded.none())).get(20, TimeUnit.SECONDS);
    }
  }

  /** A cancel that arrives late would be one of the next request, which can be cancelled, too. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theNextRequestWithTheIdComesAfterTheCancel(boolean isCancelled) throws Exception {
    var reached = new CountDownLatch(1);
    var isTold = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var upstream = connect(server)) {
      server.script((exchange, request) -> {
        switch (request.method()) {
          case "notifications/cancelled" -> {
            isTold.countDown();
            await(goOn);
            accept(exchange);
          }
          case "prompts/list" -> {
            reached.countDown();
            server.awaitStop();
          }
          default -> McpServer.send(exchange, 200, Message.result(1, Map.of()));
        }
        return true;
      });
      Message slow = Message.request(1, "prompts/list", Map.of());
      var _ = threads.submit(() -> upstream.request(slow, Forwarded.none(), answer -> {}));
      await(reached);
      upstream.notify(CANCEL, Forwarded.none());
      await(isTold);
      var answer = new CompletableFuture<Message>();
      Message next = Message.request(1, "ping", Map.of());
      Thread asking =
          Thread.ofPlatform()
              .start(() -> upstream.request(next, Forwarded.none(), answer::complete));
      while (server.count("ping") == 0 && !waitsForTheCancel(asking)) {
        Thread.onSpinWait();
      }
      if (isCancelled) {
        upstream.notify(CANCEL, Forwarded.none());
      }
      goOn.countDown();
      assertThat(answer.get(20, TimeUnit.SECONDS).error() == null).isEqualTo(!isCancelled);
      assertThat(server.received())
          .extracting(McpServer.Received::method)
          .containsExactlyElementsOf(
              isCancelled
                  ? List.of("prompts/list", "notifications/cancelled")
                  : List.of("prompts/list", "notifications/cancelled", "ping"));
    } finally {
      goOn.countDown();
    }
  }

  private static boolean waitsForTheCancel(Thread asking) {
    return asking.getState() == Thread.State.WAITING
        && Arrays.stream(asking.getStackTrace())
            .anyMatch(frame -> frame.getMethodName().equals("awaitCancel"));
  }
}
