package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.HeldServer;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.testkit.McpServer;
import dev.safeconduct.gateway.testkit.McpServer.Kinds;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.OwnRequest;
import dev.safeconduct.gateway.upstream.StdioUpstream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Servers that do not answer, or stop in the middle: nobody waits for them without a limit. */
final class SilentServersTest {
  @Test
  void endsACallWhoseAnswerStopsInTheMiddle() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway =
            new RunningGateway(
                service.url(),
                "http: {listen: '127.0.0.1:0', anonymous: true}\n"
                    + "servers: {test: {timeout_seconds: 1, url: '"
                    + server.url()
                    + "'}}\n",
                Map.of())) {
      server.script((exchange, request) -> {
        if (!request.method().equals("tools/call")) {
          return false;
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 1000);
        exchange.getResponseBody().write("{\"jsonrpc\":".getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
        server.awaitStop();
        return true;
      });
      Message call =
          McpClient.stateless(
              1, "tools/call", Map.of("name", "echo", "arguments", Map.of()), Map.of());
      assertThat(gateway.client().sendStateless(call).code()).isEqualTo(RpcError.INTERNAL_ERROR);
    }
  }

  /** And the server can end its work then; the start of a session cannot be cancelled. */
  @Test
  void waitsForItsOwnRequestsNoLongerThanItSays() throws Exception {
    var over = new CountDownLatch(1);
    var server = new HeldServer();
    server.holdRequests(over);
    try (server) {
      for (String method : List.of("initialize", "tools/list")) {
        Message request = Message.request(method, method, Map.of());
        assertThat(OwnRequest.answer(server, request, Forwarded.none(), Duration.ofMillis(1)))
            .isEmpty();
      }
      Message told = server.nextTold();
      assertThat(told.method()).isEqualTo("notifications/cancelled");
      assertThat(told.params()).containsEntry("requestId", "tools/list");
    } finally {
      over.countDown();
    }
  }

  /** A cancelled request that is forgotten has an id that a late response may still have. */
  @Test
  void noRequestGetsTheLateResponseToAForgottenOne() throws Exception {
    String program =
        """
        import json, sys
        for line in sys.stdin:
            message = json.loads(line)
            if message["method"] == "again":
                for id, late in ((0, True), (message["id"], False)):
                    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": {"late": late}}), flush=True)
        """;
    ServerConfig python =
        ServerConfig.ofCommand("test", List.of("python3", "-c", program), List.of());
    var unlimited = MessageMemory.unlimited();
    try (var server = new StdioUpstream(python, System.getenv(), 1 << 20, unlimited, line -> {})) {
      for (int i = 0; i <= 16; i++) {
        server.request(Message.request(i, "ping", Map.of()), Forwarded.none(), answer -> {});
        server.notify(
            Message.notification("notifications/cancelled", Map.of("requestId", i)),
            Forwarded.none());
      }
      var answer = new CompletableFuture<Message>();
      server.request(Message.request(0, "again", Map.of()), Forwarded.none(), answer::complete);
      Message got = answer.get(20, TimeUnit.SECONDS);
      assertThat(got.id()).isEqualTo(0L);
      assertThat(got.result()).containsEntry("late", false);
    }
  }
}
