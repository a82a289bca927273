package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.testkit.McpServer;
import dev.safeconduct.gateway.testkit.McpServer.Kinds;
import dev.safeconduct.gateway.testkit.McpServer.Received;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Clients and servers of different revisions. The conformance suites run across them, too. */
final class BridgeTest {
  private static final String ELICIT =
      "{\"jsonrpc\":\"2.0\",\"id\":\"e1\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"Sure?\"}}";

  @Test
  void asksAClientWithoutASessionForWhatTheServerWants() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      var answered = new CompletableFuture<Message>();
      server.script((exchange, request) -> elicits(exchange, request, answered));
      McpClient client = gateway.client();
      McpClient.Answer first =
          client.sendStateless(call(1, Map.of("a", 1), null, Map.of("elicitation", Map.of())));
      assertThat(first.result()).containsEntry("resultType", "input_required");
      assertThat(String.valueOf(first.result().get("inputRequests")))
          .contains("elicitation/create", "Sure?");
      String state = String.valueOf(first.result().get("requestState"));

      // Another question, or none of the gateway's, does not go on with the call.
      for (Message other :
          List.of(
              call(2, Map.of("a", 2), state, Map.of("elicitation", Map.of())),
              call(3, Map.of("a", 1), state + "x", Map.of("elicitation", Map.of())))) {
        assertThat(client.sendStateless(other).code()).isEqualTo(RpcError.INVALID_PARAMS);
      }
      McpClient.Answer last =
          client.sendStateless(call(4, Map.of("a", 1), state, Map.of("elicitation", Map.of())));
      assertThat(last.text()).isEqualTo("done");
      assertThat(last.message().id()).isEqualTo(4L);
      assertThat(answered.get(20, TimeUnit.SECONDS).result()).containsEntry("action", "accept");
      // Once used, the state is worth nothing. Every try was a question of its own.
      assertThat(
              client
                  .sendStateless(call(5, Map.of("a", 1), state, Map.of("elicitation", Map.of())))
                  .code())
          .isEqualTo(RpcError.INVALID_PARAMS);
      assertThat(service.asked()).hasSize(5);
      assertThat(server.count("initialize")).isEqualTo(1);
    }
  }

  @Test
  void asksForTheKindOfAServerWithNothingOfAClient() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      server.script((exchange, request) -> {
        Message message = request.message();
        if (message == null || !(message.meta().get(Revision.CLIENT_INFO) instanceof String)) {
          return false;
        }
        McpServer.send(
            exchange, 400, Message.error(message.id(), RpcError.of(-32602, "Invalid clientInfo")));
        return true;
      });
      Message wrong =
          Message.request(
              1,
              "server/discover",
              Map.of(
                  "_meta",
                  Map.of(
                      Revision.VERSION,
                      Revision.STATELESS,
                      Revision.CAPABILITIES,
                      Map.of(),
                      Revision.CLIENT_INFO,
                      "wrong")));
      assertThat(gateway.client().sendStateless(wrong).code()).isEqualTo(RpcError.INVALID_PARAMS);
      assertThat(gateway.client().sendStateless(call(2, Map.of("a", 1), null, Map.of())).text())
          .isEqualTo("{\"a\":1}");
    }
  }

  @Test
  void refusesForAClientThatCannotBeAsked() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      var answered = new CompletableFuture<Message>();
      server.script((exchange, request) -> elicits(exchange, request, answered));
      McpClient.Answer answer = gateway.client().sendStateless(call(1, Map.of(), null, Map.of()));
      assertThat(answer.text()).isEqualTo("done");
      assertThat(answered.get(20, TimeUnit.SECONDS).error()).isNotNull();
    }
  }

  /** The server gets its answer, as in a session of the client, and goes on with the call. */
  @Test
  void refusesForTheOwnerWhatTheClientCouldBeAsked() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      var answered = new CompletableFuture<Message>();
      String sampling = ELICIT.replace("elicitation/create", "sampling/createMessage");
      server.script((exchange, request) -> asks(exchange, request, sampling, answered));
      Message call = call(1, Map.of(), null, Map.of("sampling", Map.of()));
      assertThat(gateway.client().sendStateless(call).text()).isEqualTo("done");
      assertThat(Message.objectOrEmpty(answered.get(20, TimeUnit.SECONDS).error()))
          .containsEntry("code", RpcError.METHOD_NOT_FOUND);
    }
  }

  private static boolean elicits(
      HttpExchange exchange, Received request, CompletableFuture<Message> answered)
      throws IOException {
    return asks(exchange, request, ELICIT, answered);
  }

  /** A server that asks in the stream of a call, and answers it then. */
  private static boolean asks(
      HttpExchange exchange, Received request, String question, CompletableFuture<Message> answered)
      throws IOException {
    Message message = request.message();
    if (message != null && message.kind() == Message.Kind.RESPONSE) {
      answered.complete(message);
      return false;
    }
    if (!Set.of("tools/call", "prompts/get").contains(request.method()) || message == null) {
      return false;
    }
    McpServer.sendEvents(exchange, "data: " + question);
    answered.join();
    Message done =
        Message.result(
            message.id(), Map.of("content", List.of(Map.of("type", "text", "text", "done"))));
    exchange
        .getResponseBody()
        .write(
            ("data: " + new String(done.bytes(), StandardCharsets.UTF_8) + "\n\n")
                .getBytes(StandardCharsets.UTF_8));
    return true;
  }

  private static Message call(
      Object id, Map<String, ?> arguments, @Nullable String state, Map<String, ?> capabilities) {
    var params = new LinkedHashMap<String, @Nullable Object>();
    params.put("name", "echo");
    params.put("arguments", arguments);
    if (state != null) {
      params.put("requestState", state);
      params.put(
          "inputResponses", Map.of("input", Map.of("action", "accept", "content", Map.of())));
    }
    return McpClient.stateless(id, "tools/call", params, capabilities);
  }

  @Test
  void listsAndReadsForAClientWithoutASession() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      McpClient client = gateway.client();
      for (String method : List.of("server/discover", "tools/list", "resources/read")) {
        Map<String, ?> params =
            method.startsWith("resources") ? Map.of("uri", "test://x") : Map.of();
        assertThat(client.sendStateless(McpClient.stateless(1, method, params, Map.of())).result())
            .containsEntry("resultType", "complete")
            .containsEntry("cacheScope", "private");
      }
      // The server forgets its sessions, as at a restart: the gateway starts another.
      server.endSessions();
      Message list = McpClient.stateless(2, "tools/list", Map.of(), Map.of());
      assertThat(client.sendStateless(list).code()).isEqualTo(RpcError.INTERNAL_ERROR);
      assertThat(gateway.client().sendStateless(list).result()).containsKey("tools");
      assertThat(server.received())
          .filteredOn(each -> each.method().equals("tools/list"))
          .allSatisfy(each -> assertThat(each.meta()).doesNotContainKey(Revision.VERSION));
    }
  }

  @Test
  void givesAServerWithoutSessionsToAClientWithOne() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      McpClient client = gateway.client().start(Map.of("elicitation", Map.of()));
      assertThat(client.call(2, "echo", Map.of("a", 1)).text()).isEqualTo("{\"a\":1}");
      assertThat(client.send(Message.request(3, "ping", Map.of())).result()).isEmpty();
      assertThat(server.count("ping")).isZero();
      assertThat(server.received().getLast().meta())
          .containsEntry(Revision.VERSION, Revision.STATELESS)
          .containsEntry(Revision.CAPABILITIES, Map.of("elicitation", Map.of()));
    }
  }

  @Test
  void servesProgramsOverHttp() throws Exception {
    Path program = Path.of("gateway/src/test/resources/server.py").toAbsolutePath();
    try (var service = new DecisionService();
        var gateway =
            new RunningGateway(
                service.url(),
                "http: {listen: '127.0.0.1:0', anonymous: true}\n"
                    + "servers: {test: {command: [python3, '"
                    + program
                    + "']}}\n",
                System.getenv())) {
      McpClient one = gateway.client().start(Map.of());
      McpClient two = gateway.client().start(Map.of());
      // Each session has a process of its own.
      assertThat(one.call(2, "count", Map.of()).text()).isEqualTo("1");
      assertThat(one.call(3, "count", Map.of()).text()).isEqualTo("2");
      assertThat(two.call(2, "count", Map.of()).text()).isEqualTo("1");
      assertThat(service.asked())
          .allSatisfy(each -> assertThat(each).containsEntry("server", "mcp:test"));
      // A client without a session gets through to the same program.
      Message call =
          McpClient.stateless(
              1, "tools/call", Map.of("name", "count", "arguments", Map.of()), Map.of());
      assertThat(gateway.client().sendStateless(call).text()).isEqualTo("1");
    }
  }

  @Test
  void endsTheOldestCallWhenTooManyWaitForInput() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      var answered = new CompletableFuture<Message>();
      server.script((exchange, request) -> elicits(exchange, request, answered));
      Map<String, ?> capabilities = Map.of("elicitation", Map.of());
      List<String> states = new ArrayList<>();
      for (int i = 0; i < 17; i++) {
        McpClient.Answer asked =
            gateway.client().sendStateless(call(i, Map.of(), null, capabilities));
        assertThat(asked.result()).containsEntry("resultType", "input_required");
        states.add(String.valueOf(asked.result().get("requestState")));
      }
      assertThat(answered.get(20, TimeUnit.SECONDS).error()).isNotNull();
      Message oldest = call(20, Map.of(), states.getFirst(), capabilities);
      assertThat(gateway.client().sendStateless(oldest).code()).isEqualTo(RpcError.INVALID_PARAMS);
      for (String state : List.of(states.get(1), states.getLast())) {
        Message kept = call(21, Map.of(), state, capabilities);
        assertThat(gateway.client().sendStateless(kept).text()).isEqualTo("done");
      }
    }
  }

  /** The server would get another resource than the one that was decided on. */
  @Test
  void subscribesOnlyToTextForAClientWithoutASession() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      for (Object uri : List.of(List.of("x"), Map.of("a", 1), 5, true)) {
        Message listen =
            McpClient.stateless(
                1,
                "subscriptions/listen",
                Map.of("notifications", Map.of("resourceSubscriptions", List.of("test://x", uri))),
                Map.of());
        assertThat(gateway.client().sendStateless(listen).code())
            .isEqualTo(RpcError.INVALID_PARAMS);
      }
      assertThat(server.count("resources/subscribe")).isZero();
    }
  }

  /** Their requests stay in memory: what each takes counts, so that they do not use up the heap. */
  @Test
  void endsTheOldestCallWhenThoseThatWaitTakeTooMuchMemory() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway =
            new RunningGateway(
                service.url(),
                "http: {listen: '127.0.0.1:0', anonymous: true, limits: {memory_mib: 16}}\n"
                    + "max_message_bytes: 1048576\n"
                    + "servers: {test: {url: '"
                    + server.url()
                    + "'}}\n",
                Map.of())) {
      var answered = new CompletableFuture<Message>();
      server.script((exchange, request) -> elicits(exchange, request, answered));
      Map<String, ?> capabilities = Map.of("elicitation", Map.of());
      Map<String, ?> large = Map.of("text", "x".repeat(400_000));
      List<String> states = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        McpClient.Answer asked = gateway.client().sendStateless(call(i, large, null, capabilities));
        assertThat(asked.result()).containsEntry("resultType", "input_required");
        states.add(String.valueOf(asked.result().get("requestState")));
      }
      assertThat(answered.get(20, TimeUnit.SECONDS).error()).isNotNull();
      Message oldest = call(3, large, states.getFirst(), capabilities);
      assertThat(gateway.client().sendStateless(oldest).code()).isEqualTo(RpcError.INVALID_PARAMS);
      Message last = call(4, large, states.getLast(), capabilities);
      assertThat(gateway.client().sendStateless(last).text()).isEqualTo("done");
    }
  }

  @Test
  void theEndOfASessionLeavesTheCallsOfOthers() throws Exception {
    var reached = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    var ended = new AtomicReference<@Nullable String>();
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      server.script((exchange, request) -> {
        Message message = request.message();
        String session = request.headers().get("mcp-session-id");
        if (message != null && session != null && session.equals(ended.get())) {
          McpServer.send(
              exchange, 404, Message.error(message.id(), RpcError.of(-32001, "No session")));
          return true;
        }
        if (message != null && Map.of("held", true).equals(message.params().get("arguments"))) {
          reached.countDown();
          await(goOn);
        }
        return false;
      });
      Message first = call(1, Map.of("a", 1), null, Map.of());
      assertThat(gateway.client().sendStateless(first).text()).isEqualTo("{\"a\":1}");
      String session = server.received().getLast().headers().get("mcp-session-id");
      Message other = call(2, Map.of("held", true), null, Map.of("elicitation", Map.of()));
      Future<McpClient.Answer> held = threads.submit(() -> gateway.client().sendStateless(other));
      await(reached);
      ended.set(session);
      assertThat(gateway.client().sendStateless(first).code()).isEqualTo(RpcError.INTERNAL_ERROR);
      assertThat(gateway.client().sendStateless(first).text()).isEqualTo("{\"a\":1}");
      goOn.countDown();
      assertThat(held.get(20, TimeUnit.SECONDS).text()).isEqualTo("{\"held\":true}");
      assertThat(server.count("initialize")).isEqualTo(3);
    } finally {
      goOn.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Over HTTP, the server says for which request it asks. */
  @Test
  void aPromptThatWaitsForAnAnswerGetsNoneAfterASuspension() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answered = new CompletableFuture<Message>();
      server.script((exchange, request) -> elicits(exchange, request, answered));
      McpClient client = gateway.client().start(Map.of("elicitation", Map.of()));
      Future<McpClient.Answer> prompt =
          threads.submit(() -> client.send(Message.request(2, "prompts/get", Map.of("name", "p"))));
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (server.count("prompts/get") == 0) {
        assertThat(System.nanoTime()).isLessThan(end);
        assertThat(client.send(Message.request(3, "ping", Map.of())).status()).isEqualTo(200);
      }
      service.decide(context -> "oap.passport_suspended");
      // The first ones are dropped if the server has not asked yet.
      while (!answered.isDone()) {
        assertThat(System.nanoTime()).isLessThan(end);
        client.send(Message.result("e1", Map.of("action", "accept")));
      }
      assertThat(Message.objectOrEmpty(answered.get(20, TimeUnit.SECONDS).error()))
          .containsEntry("code", RpcError.DENIED);
      assertThat(prompt.get().status()).isEqualTo(200);
    }
  }
}
