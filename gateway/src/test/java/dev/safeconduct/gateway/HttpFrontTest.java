package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.testkit.McpServer;
import dev.safeconduct.gateway.testkit.McpServer.Kinds;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What the HTTP front lets through, and what it refuses before a server sees it. */
final class HttpFrontTest {
  @TestFactory
  List<DynamicTest> refusesBeforeTheServer() throws IOException {
    Map<String, @Nullable Object> file;
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream("/cases/http-refusals.json"))) {
      file = Message.objectOrEmpty(Json.parse(in.readAllBytes()));
    }
    var tests = new ArrayList<DynamicTest>();
    for (Object each : (List<?>) Objects.requireNonNull(file.get("cases"))) {
      Map<String, @Nullable Object> one = Message.objectOrEmpty(each);
      tests.add(DynamicTest.dynamicTest(text(one, "about"), () -> check(file, one)));
    }
    return tests;
  }

  private static void check(Map<String, @Nullable Object> file, Map<String, @Nullable Object> one)
      throws Exception {
    var meta = new LinkedHashMap<String, @Nullable Object>();
    meta.put(Revision.VERSION, Revision.STATELESS);
    meta.put(Revision.CAPABILITIES, Map.of());
    meta.putAll(Message.objectOrEmpty(one.get("meta")));
    meta.values().removeIf(Objects::isNull);
    String body =
        (one.containsKey("body") ? text(one, "body") : text(file, "body"))
            .replace("META", new String(Json.write(meta), StandardCharsets.UTF_8));
    var headers = new LinkedHashMap<>(Message.objectOrEmpty(file.get("stateless")));
    headers.putAll(Message.objectOrEmpty(one.get("headers")));
    headers.values().removeIf(Objects::isNull);
    var sent = new LinkedHashMap<String, String>();
    headers.forEach((name, value) -> sent.put(name, String.valueOf(value)));
    String verb = one.containsKey("verb") ? text(one, "verb") : "POST";
    boolean hasBody = verb.equals("POST") || verb.equals("PUT");
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS, Kinds.STATELESS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      McpClient.Answer answer =
          gateway
              .client()
              .send(verb, hasBody ? body.getBytes(StandardCharsets.UTF_8) : new byte[0], sent);
      assertThat(answer.status()).as(answer.body()).isEqualTo(one.get("status"));
      if (one.containsKey("code")) {
        assertThat(answer.code()).isEqualTo(one.get("code"));
      }
      assertThat(server.count("tools/call")).isEqualTo(one.containsKey("reaches") ? 1 : 0);
    }
  }

  private static String text(Map<String, @Nullable Object> of, String name) {
    return String.valueOf(of.get(name));
  }

  @Test
  void refusesAnotherHostAndTwoHosts() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      int port = java.net.URI.create(gateway.url("test")).getPort();
      for (String host : List.of("Host: evil.example:" + port, "Host: a\r\nHost: localhost")) {
        assertThat(
                raw(port, "POST /mcp/test HTTP/1.1\r\n" + host + "\r\nContent-Length: 0\r\n\r\n"))
            .matches("HTTP/1.1 (403|400) .*");
      }
      assertThat(server.received()).isEmpty();
    }
  }

  private static String raw(int port, String request) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(20_000);
      OutputStream out = socket.getOutputStream();
      out.write(request.getBytes(StandardCharsets.US_ASCII));
      byte[] start = socket.getInputStream().readNBytes(40);
      return new String(start, StandardCharsets.US_ASCII).lines().findFirst().orElse("");
    }
  }

  @Test
  void refusesBodiesThatAreTooLarge() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway =
            new RunningGateway(
                service.url(),
                "max_message_bytes: 2048\nhttp: {listen: '127.0.0.1:0', anonymous: true}\n"
                    + "servers: {test: {url: '"
                    + server.url()
                    + "'}}\n",
                Map.of())) {
      Message large =
          McpClient.stateless(
              1,
              "tools/call",
              Map.of("name", "echo", "arguments", Map.of("x", "y".repeat(4000))),
              Map.of());
      assertThat(gateway.client().sendStateless(large).status()).isEqualTo(413);
      // Clients that read the answer once they have sent all.
      int port = java.net.URI.create(gateway.url("test")).getPort();
      String body = "y".repeat(8 << 20);
      for (String rest :
          List.of(
              "Content-Length: " + body.length() + "\r\n\r\n" + body,
              "Transfer-Encoding: chunked\r\n\r\n"
                  + Integer.toHexString(body.length())
                  + "\r\n"
                  + body
                  + "\r\n0\r\n\r\n")) {
        String head = " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        assertThat(raw(port, "POST /mcp/test" + head + rest)).startsWith("HTTP/1.1 413 ");
        assertThat(raw(port, "POST /mcp/none" + head + rest)).startsWith("HTTP/1.1 404 ");
      }
      assertThat(server.received()).isEmpty();
    }
  }

  @Test
  void limitsTheSessionsOfAClient() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway =
            new RunningGateway(
                service.url(),
                "http: {listen: '127.0.0.1:0', anonymous: true, limits: {sessions_per_client: 2}}\n"
                    + "servers: {test: {url: '"
                    + server.url()
                    + "'}}\n",
                Map.of())) {
      McpClient first = gateway.client().start(Map.of());
      var _ = gateway.client().start(Map.of());
      Message more = Message.request(1, "initialize", Map.of("protocolVersion", "2025-11-25"));
      assertThat(gateway.client().send(more).status()).isEqualTo(429);
      assertThat(first.send("DELETE", new byte[0], Map.of()).status()).isEqualTo(200);
      assertThat(gateway.client().send(more).status()).isEqualTo(200);
    }
  }

  @Test
  void limitsSessionsThatStartTogether() throws Exception {
    var goOn = new CountDownLatch(1);
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway =
            new RunningGateway(
                service.url(),
                "http: {listen: '127.0.0.1:0', anonymous: true, limits: {sessions_per_client: 2}}\n"
                    + "servers: {test: {url: '"
                    + server.url()
                    + "'}}\n",
                Map.of())) {
      server.script((exchange, request) -> {
        try {
          boolean _ = goOn.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        return false;
      });
      Message start = Message.request(1, "initialize", Map.of("protocolVersion", "2025-11-25"));
      var statuses = new ArrayBlockingQueue<Integer>(5);
      for (int i = 0; i < 5; i++) {
        Thread.startVirtualThread(() -> {
          try {
            statuses.add(gateway.client().send(start).status());
          } catch (IOException e) {
            statuses.add(0);
          }
        });
      }
      for (int refused = 0; refused < 3; refused++) {
        assertThat(statuses.poll(20, TimeUnit.SECONDS)).isEqualTo(429);
      }
      goOn.countDown(); // Only now: the server answers none before all others are refused.
      for (int started = 0; started < 2; started++) {
        assertThat(statuses.poll(20, TimeUnit.SECONDS)).isEqualTo(200);
      }
    } finally {
      goOn.countDown();
    }
  }

  @Test
  void endsTheStreamOfARequestThatIsCancelled() throws Exception {
    var received = new CountDownLatch(1);
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      server.script((exchange, request) -> {
        if (!request.method().equals("tools/call")) {
          return false;
        }
        received.countDown();
        server.awaitStop(); // Servers do not answer what is cancelled.
        return true;
      });
      McpClient client = gateway.client().start(Map.of());
      var answers = new ArrayBlockingQueue<Integer>(1);
      Thread.startVirtualThread(() -> {
        try {
          answers.add(client.call(2, "echo", Map.of()).code());
        } catch (IOException e) {
          answers.add(0);
        }
      });
      assertThat(received.await(10, TimeUnit.SECONDS)).isTrue();
      client.send(Message.notification("notifications/cancelled", Map.of("requestId", 2)));
      assertThat(answers.poll(10, TimeUnit.SECONDS)).isEqualTo(RpcError.INTERNAL_ERROR);
    }
  }

  @Test
  void keepsAnEndedSessionEnded() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      McpClient client = gateway.client().start(Map.of());
      assertThat(client.call(2, "echo", Map.of("a", 1)).text()).isEqualTo("{\"a\":1}");
      assertThat(client.send("DELETE", new byte[0], Map.of()).status()).isEqualTo(200);
      assertThat(client.call(3, "echo", Map.of()).status()).isEqualTo(404);
      server.endSessions();
      McpClient second = gateway.client().start(Map.of());
      server.endSessions();
      // The server's own end of a session is the client's, which starts another.
      assertThat(second.call(4, "echo", Map.of()).status()).isEqualTo(404);
      assertThat(second.call(5, "echo", Map.of()).status()).isEqualTo(404);
      assertThat(server.count("tools/call")).isEqualTo(2);
    }
  }

  @Test
  void resumesAStreamWhereTheClientLeft() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      server.script((exchange, request) -> {
        if (request.method().equals("tools/call")) {
          McpServer.sendEvents(exchange, "id: s1\nretry: 1\ndata: ");
          return true;
        }
        if (request.headers().getOrDefault("last-event-id", "").equals("s1")) {
          McpServer.sendEvents(
              exchange, "id: s2\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}");
          return true;
        }
        return false;
      });
      McpClient client = gateway.client().start(Map.of());
      McpClient.Answer cut = client.call(2, "stream", Map.of());
      assertThat(cut.events()).hasSize(1);
      String id = cut.events().getFirst().id().orElseThrow();
      McpClient.Answer rest = client.send("GET", new byte[0], Map.of("Last-Event-ID", id));
      assertThat(rest.result()).containsKey("content");
      assertThat(rest.message().id()).isEqualTo(2L);
      assertThat(client.send("GET", new byte[0], Map.of("Last-Event-ID", "99-1")).status())
          .isEqualTo(400);
    }
  }

  @Test
  void relaysWhatTheServerSendsByItself() throws Exception {
    String changed = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      server.script((exchange, request) -> {
        if (!request.verb().equals("GET")) {
          return false;
        }
        McpServer.sendEvents(exchange, "data: " + changed);
        server.awaitStop();
        return true;
      });
      McpClient client = gateway.client().start(Map.of());
      var events = new ArrayBlockingQueue<String>(10);
      Thread listener =
          Thread.startVirtualThread(() -> client.listen(event -> events.add(event.data())));
      assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo(changed);
      assertThat(client.send("GET", new byte[0], Map.of()).status()).isEqualTo(409);
      assertThat(client.send("DELETE", new byte[0], Map.of()).status()).isEqualTo(200);
      assertThat(listener.join(Duration.ofSeconds(20))).isTrue();
    }
  }

  @Test
  void cancelsWhenAClientWithoutASessionIsGone() throws Exception {
    var cancelled = new CountDownLatch(1);
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      server.script((exchange, request) -> {
        if (!request.method().equals("tools/call")) {
          return false;
        }
        String progress =
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                + "\"params\":{\"progressToken\":\"t\",\"progress\":1}}";
        try {
          McpServer.sendEvents(exchange, "data: " + progress);
          while (true) { // Until nobody reads any more.
            McpServer.write(exchange, "data: " + progress + "\n\n");
          }
        } catch (IOException e) {
          cancelled.countDown();
        }
        return true;
      });
      var meta =
          Map.of(
              Revision.VERSION,
              Revision.STATELESS,
              Revision.CAPABILITIES,
              Map.of(),
              "progressToken",
              "t");
      byte[] body = Message.request(1, "tools/call", Map.of("name", "echo", "_meta", meta)).bytes();
      int port = java.net.URI.create(gateway.url("test")).getPort();
      String head =
          "POST /mcp/test HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              + "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n"
              + "Content-Length: "
              + body.length
              + "\r\n\r\n"
              + new String(body, StandardCharsets.UTF_8);
      assertThat(raw(port, head)).isEqualTo("HTTP/1.1 200 OK");
      assertThat(cancelled.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }
}
