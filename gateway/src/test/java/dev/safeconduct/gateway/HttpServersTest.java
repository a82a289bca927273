package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.client.Action;
import dev.safeconduct.client.Decision;
import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.http.ToolHeaders;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.testkit.McpServer;
import dev.safeconduct.gateway.testkit.McpServer.Kinds;
import dev.safeconduct.gateway.testkit.McpServer.Script;
import dev.safeconduct.gateway.upstream.ConnectionListener;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.HttpTarget;
import dev.safeconduct.gateway.upstream.HttpUpstream;
import java.io.IOException;
import java.net.URI;
import java.security.Provider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers over HTTP: what they do wrong, what the service does wrong, many clients. */
final class HttpServersTest {
  private DecisionService service;
  private McpServer server;
  private RunningGateway gateway;

  @BeforeEach
  void start() throws Exception {
    service = new DecisionService();
    server = new McpServer(Kinds.WITH_SESSIONS, Kinds.STATELESS);
    gateway = RunningGateway.before(service.url(), server.url());
  }

  @AfterEach
  void stop() {
    gateway.close();
    server.close();
    service.close();
  }

  private static Message call(Object id, Map<String, ?> arguments) {
    return McpClient.stateless(
        id, "tools/call", Map.of("name", "echo", "arguments", arguments), Map.of());
  }

  @Test
  void answersFaultsOfTheServerWithAnError() throws Exception {
    var faults = new LinkedHashMap<String, Script>();
    faults.put(
        "a redirect",
        (exchange, request) -> {
          exchange.getResponseHeaders().set("Location", server.url() + "/elsewhere");
          exchange.sendResponseHeaders(307, -1);
          return true;
        });
    faults.put(
        "a page",
        (exchange, request) -> {
          exchange.getResponseHeaders().set("Content-Type", "text/html");
          exchange.sendResponseHeaders(200, 5);
          exchange
              .getResponseBody()
              .write("<p>hi".getBytes(java.nio.charset.StandardCharsets.UTF_8));
          return true;
        });
    faults.put("duplicate members", sent("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"result\":{}}"));
    faults.put("another id", sent("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}"));
    faults.put("a request", sent("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
    faults.put(
        "too much",
        sent("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"" + "y".repeat(5 << 20) + "\"}}"));
    faults.put(
        "half a stream",
        (exchange, request) -> {
          McpServer.sendEvents(exchange, "data: {\"jsonrpc\":\"2.0\"");
          return true;
        });
    McpClient client = gateway.client();
    assertThat(
            client.sendStateless(McpClient.stateless(1, "tools/list", Map.of(), Map.of())).result())
        .containsKey("tools");
    for (var each : faults.entrySet()) {
      server.script((exchange, request) ->
          request.method().equals("tools/call") && each.getValue().answer(exchange, request));
      McpClient.Answer answer = client.sendStateless(call(1, Map.of()));
      assertThat(answer.code())
          .as(each.getKey() + answer.body())
          .isEqualTo(RpcError.INTERNAL_ERROR);
    }
    assertThat(server.received()).allSatisfy(each -> assertThat(each.verb()).isEqualTo("POST"));
  }

  private static Script sent(String json) {
    return (exchange, request) -> {
      byte[] body = json.getBytes(java.nio.charset.StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      return true;
    };
  }

  @Test
  void keepsTheConnectionOfAStreamThatEnds() throws Exception {
    Set<Integer> ports = ConcurrentHashMap.newKeySet();
    server.script((exchange, request) -> {
      if (!request.method().equals("tools/call")) {
        return false;
      }
      ports.add(exchange.getRemoteAddress().getPort());
      McpServer.sendEvents(
          exchange, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}");
      return true;
    });
    McpClient client = gateway.client();
    for (int i = 0; i < 40; i++) {
      assertThat(client.sendStateless(call(1, Map.of())).result()).containsKey("content");
    }
    assertThat(ports).hasSizeLessThan(25);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 20})
  void leavesAStreamThatDoesNotEnd(int pause) throws Exception {
    var left = new CountDownLatch(1);
    server.script((exchange, request) -> {
      if (!request.method().equals("tools/call")) {
        return false;
      }
      try {
        McpServer.sendEvents(
            exchange, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}");
        while (!left.await(pause, TimeUnit.MILLISECONDS)) { // Until nobody reads any more.
          McpServer.write(exchange, ":\n".repeat(pause == 0 ? 1000 : 1));
        }
      } catch (IOException e) {
        left.countDown();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return true;
    });
    assertThat(gateway.client().sendStateless(call(1, Map.of())).result()).containsKey("content");
    assertThat(left.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void closesTheStreamOfACallThatASessionCancels() throws Exception {
    var reached = new CountDownLatch(1);
    var left = new CountDownLatch(1);
    server.script((exchange, request) -> {
      if (!request.method().equals("tools/call")) {
        return false;
      }
      try {
        McpServer.sendEvents(exchange, ":");
        reached.countDown();
        while (!left.await(10, TimeUnit.MILLISECONDS)) { // Until nobody reads any more.
          McpServer.write(exchange, ":\n");
        }
      } catch (IOException e) {
        left.countDown();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return true;
    });
    McpClient client = gateway.client().start(Map.of());
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<McpClient.Answer> call = threads.submit(() -> client.call(7, "echo", Map.of()));
      assertThat(reached.await(20, TimeUnit.SECONDS)).isTrue();
      client.send(Message.notification("notifications/cancelled", Map.of("requestId", 7)));
      assertThat(left.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(server.count("notifications/cancelled")).isEqualTo(1);
      assertThat(call.get().code()).isEqualTo(RpcError.INTERNAL_ERROR);
    } finally {
      left.countDown();
    }
  }

  @Test
  void checksDecisionsWithCorretto() throws Exception {
    var log = new ArrayList<String>();
    Provider corretto = Objects.requireNonNull(HttpGateway.signatureProvider(log::add));
    var used = new ArrayList<String>();
    var provider =
        new Provider("test", "1", "") {
          @Override
          public Service getService(String type, String algorithm) {
            used.add(type + " of " + algorithm);
            return corretto.getService(type, algorithm);
          }
        };
    try (Safeconduct client =
        Safeconduct.builder()
            .baseUrl(service.url())
            .apiKey("sck_test")
            .requireSignature(true)
            .signatureProvider(provider)
            .build()) {
      var action = Action.of("ap_1", "mcp.tool.execute.v1", Map.of("server", "s", "tool", "t"));
      Decision decision = client.check(action);
      assertThat(decision.allow()).as(decision.reason().message()).isTrue();
    }
    assertThat(used).containsExactly("KeyFactory of Ed25519", "Signature of Ed25519");
    assertThat(log).isEmpty();
  }

  @Test
  void deniesWithoutADecision() throws Exception {
    service.decide(context -> {
      service.close(); // It ends while it decides.
      return null;
    });
    assertThat(gateway.client().sendStateless(call(1, Map.of())).code())
        .isEqualTo(RpcError.INTERNAL_ERROR);
    assertThat(gateway.client().sendStateless(call(2, Map.of())).code())
        .isEqualTo(RpcError.INTERNAL_ERROR);
    assertThat(server.count("tools/call")).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void sendsHeadersOfTheCheckedBody(boolean onALaterPage) throws Exception {
    server.script((exchange, request) -> {
      Message list = Objects.requireNonNullElseGet(request.message(), () -> call("none", Map.of()));
      boolean isFirst =
          onALaterPage
              && list.method().equals("tools/list")
              && !list.params().containsKey("cursor");
      if (isFirst) {
        Map<String, Object> page =
            Map.of("resultType", "complete", "tools", List.of(), "nextCursor", "2");
        McpServer.send(exchange, 200, Message.result(list.id(), page));
      }
      return isFirst;
    });
    // The gateway has listed nothing so far; it lists the tools by itself before it compares.
    Message message = call("a", Map.of("region", "Straße", "count", 7));
    McpClient client =
        gateway
            .client()
            .with("Mcp-Param-Region", "=?base64?U3RyYcOfZQ==?=")
            .with("Mcp-Param-Count", "7.0")
            .with("Mcp-Param-Other", "of no argument");
    assertThat(client.sendStateless(message).status()).isEqualTo(200);
    assertThat(server.received().getLast().headers())
        .containsEntry("mcp-method", "tools/call")
        .containsEntry("mcp-name", "echo")
        .containsEntry("mcp-param-region", "=?base64?U3RyYcOfZQ==?=")
        .containsEntry("mcp-param-count", "7")
        .doesNotContainKey("mcp-param-other");
  }

  @Test
  void servesAHundredSessionsAtOnce() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Void>> clients =
          IntStream.range(0, 100)
              .mapToObj(number ->
                  threads.<Void>submit(() -> {
                    McpClient client = gateway.client().start(Map.of());
                    for (int i = 0; i < 10; i++) {
                      String text = number + "-" + i;
                      assertThat(client.call(i, "echo", Map.of("x", text)).text())
                          .isEqualTo("{\"x\":\"" + text + "\"}");
                    }
                    return null;
                  }))
              .toList();
      for (Future<Void> client : clients) {
        client.get();
      }
    }
    assertThat(service.asked()).hasSize(1000);
    assertThat(server.count("tools/call")).isEqualTo(1000);
  }

  @Test
  void keepsRequestsWithTheSameIdApart() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> answers =
          IntStream.range(0, 50)
              .mapToObj(number ->
                  threads.submit(() -> {
                    McpClient.Answer answer =
                        gateway.client().sendStateless(call(1, Map.of("x", number)));
                    assertThat(answer.message().id()).isEqualTo(1L);
                    return answer.text();
                  }))
              .toList();
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).get()).isEqualTo("{\"x\":" + i + "}");
      }
    }
  }

  /** More than the front has platform threads. */
  @Test
  void callsThatWaitHoldUpNoOther() throws Exception {
    int waiting = 60;
    var reached = new CountDownLatch(waiting);
    var goOn = new CountDownLatch(1);
    server.script((exchange, request) -> {
      if (request.method().equals("prompts/get")) {
        reached.countDown();
        await(goOn);
      }
      return false;
    });
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < waiting; i++) {
        Message held = McpClient.stateless(i, "prompts/get", Map.of("name", "p"), Map.of());
        var _ = threads.submit(() -> gateway.client().sendStateless(held));
      }
      assertThat(reached.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(gateway.client().sendStateless(call("a", Map.of("x", 1))).text())
          .isEqualTo("{\"x\":1}");
      goOn.countDown();
    } finally {
      goOn.countDown();
    }
  }

  /** Without waiting for what ends on another thread. */
  @Test
  void anIdIsFreeOnceItsRequestIsCancelled() throws Exception {
    var ended = new CountDownLatch(1);
    var reached = new CountDownLatch(1);
    server.script((exchange, request) -> {
      if (request.method().equals("prompts/get")) {
        reached.countDown();
        server.awaitStop();
      } else if (request.method().equals("notifications/cancelled")) {
        exchange.sendResponseHeaders(202, -1);
        return true;
      }
      return false;
    });
    var target = new HttpTarget(URI.create(server.url()), Map.of(), Duration.ofSeconds(20), 1000);
    try (var upstream =
        new HttpUpstream(
            HttpUpstream.newClient(true),
            target,
            MessageMemory.unlimited(),
            new ToolHeaders(),
            ConnectionListener.ofEnd(() -> {}),
            line -> await(ended))) {
      Message slow = Message.request(1, "prompts/get", Map.of("name", "p"));
      Thread.startVirtualThread(() -> upstream.request(slow, Forwarded.none(), answer -> {}));
      assertThat(reached.await(20, TimeUnit.SECONDS)).isTrue();
      upstream.notify(
          Message.notification("notifications/cancelled", Map.of("requestId", 1)),
          Forwarded.none());
      var answers = new ArrayList<Message>();
      Message next = McpClient.stateless(1, "tools/list", Map.of(), Map.of());
      upstream.request(next, Forwarded.none(), answers::add);
      assertThat(answers).singleElement().satisfies(each -> assertThat(each.error()).isNull());
    } finally {
      ended.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      boolean _ = latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
