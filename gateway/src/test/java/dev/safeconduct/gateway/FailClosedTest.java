package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.testkit.Answers;
import dev.safeconduct.gateway.testkit.Conversation;
import dev.safeconduct.gateway.testkit.RunningService;
import dev.safeconduct.gateway.testkit.ScriptedServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Without a valid decision nothing reaches the server. */
class FailClosedTest {
  private static final Map<String, ?> LIMITS =
      Map.of(
          "allowed_servers",
          List.of("mcp:test"),
          "allowed_tools",
          List.of("*"),
          "max_calls_per_minute",
          10_000);

  /** Not closed: that would wait for every request without a limit. */
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path folder = Path.of(".");

  /** What stands between the gateway and the service does to an answer. */
  enum Fault {
    REFUSE,
    HANG,
    CUT,
    HTML,
    SERVER_ERROR,
    EMPTY,
    NOT_SIGNED,
    ANOTHER_SIGNATURE,
    ANOTHER_QUESTION,
    TURNED_INTO_AN_ALLOW
  }

  private static Conversation client(
      ScriptedServer server, RunningService service, String address, Duration timeout)
      throws IOException, ConfigException {
    return new Conversation(
        ServerConfig.ofCommand("test", server.command(), List.of()),
        service.client(address, timeout),
        service.agent(LIMITS),
        null,
        false);
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerThatIsNotADecisionDenies(Fault fault) throws Exception {
    RunningService service = RunningService.shared();
    var server = new ScriptedServer(folder);
    var now = new AtomicReference<Fault>();
    var proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    var release = new CountDownLatch(1);
    try (var threads = Executors.newCachedThreadPool()) {
      proxy.setExecutor(threads);
      var last = new AtomicReference<>(new byte[0]);
      proxy.createContext(
          "/", exchange -> answer(exchange, service.url(), now.get(), last, release));
      proxy.start();
      String address = "http://127.0.0.1:" + proxy.getAddress().getPort();
      // Only a service that hangs is waited for so long.
      Duration timeout = Duration.ofSeconds(fault == Fault.HANG ? 3 : 20);
      try (Conversation client = client(server, service, address, timeout)) {
        assertThat(Answers.word(client.call("echo", Map.of("n", 1)))).isEqualTo("ok");
        now.set(fault);
        if (fault == Fault.REFUSE) {
          proxy.stop(0);
        }
        assertThat(Answers.word(client.call("echo", Map.of("n", 2)))).isEqualTo("error -32603");
        assertThat(Answers.word(client.ask("resources/read", Map.of("uri", "file:///a"))))
            .isEqualTo("error -32603");
        if (fault.compareTo(Fault.NOT_SIGNED) < 0) {
          assertThat(Answers.word(client.ask("tools/list", Map.of()))).isEqualTo("error -32603");
        }
        assertThat(server.calls()).isEqualTo(1);
        assertThat(server.received()).noneMatch(line -> line.contains("resources/read"));
      } finally {
        release.countDown(); // the threads end only then
        proxy.stop(0);
      }
    }
  }

  private static void answer(
      HttpExchange exchange,
      String service,
      Fault fault,
      AtomicReference<byte[]> last,
      CountDownLatch release)
      throws IOException {
    try (exchange;
        InputStream in = exchange.getRequestBody()) {
      var request =
          HttpRequest.newBuilder(URI.create(service + exchange.getRequestURI()))
              .timeout(Duration.ofSeconds(20))
              .method(
                  exchange.getRequestMethod(),
                  HttpRequest.BodyPublishers.ofByteArray(in.readAllBytes()))
              .header("X-API-Key", exchange.getRequestHeaders().getFirst("X-API-Key"));
      if (exchange.getRequestMethod().equals("POST")) {
        request.header("Content-Type", "application/json");
      }
      if (fault == Fault.HANG) {
        release.await();
      }
      HttpResponse<byte[]> real =
          HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      byte[] body = real.body();
      boolean isDecision = exchange.getRequestURI().getPath().startsWith("/api/verify/policy");
      String text = new String(body, StandardCharsets.UTF_8);
      byte[] sent =
          switch (fault) {
            case HTML -> "<html>allowed</html>".getBytes(StandardCharsets.UTF_8);
            case EMPTY -> new byte[0];
            case NOT_SIGNED ->
                text.replaceAll("\"signature\"", "\"other\"").getBytes(StandardCharsets.UTF_8);
            case ANOTHER_SIGNATURE ->
                text.replaceAll("ed25519:.{5}", "ed25519:AAAAA").getBytes(StandardCharsets.UTF_8);
            case ANOTHER_QUESTION -> last.get();
            case TURNED_INTO_AN_ALLOW ->
                text.replace("\"allow\":true", "\"allow\": true")
                    .replace("oap.allowed", "oap.allowed2")
                    .getBytes(StandardCharsets.UTF_8);
            case null, default -> body;
          };
      if (isDecision && fault == null) {
        last.set(body);
      }
      exchange
          .getResponseHeaders()
          .set("Content-Type", fault == Fault.HTML ? "text/html" : "application/json");
      exchange.sendResponseHeaders(
          fault == Fault.SERVER_ERROR ? 500 : real.statusCode(),
          sent.length == 0 ? -1 : sent.length);
      exchange.getResponseBody().write(sent, 0, fault == Fault.CUT ? sent.length / 2 : sent.length);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aServiceThatIsKilledInMidCallLetsNothingPass() throws Exception {
    var server = new ScriptedServer(folder);
    try (RunningService service = RunningService.start();
        Conversation client = client(server, service, service.url(), Duration.ofSeconds(20))) {
      assertThat(Answers.word(client.call("echo", Map.of()))).isEqualTo("ok");
      int sent = 60;
      for (long id = 1; id <= sent; id++) {
        client.send(
            Message.request(id, "tools/call", Map.of("name", "echo", "arguments", Map.of("n", id)))
                .bytes());
      }
      assertThat(Answers.word(client.next())).isEqualTo("ok");
      service.kill();
      int allowed = 1;
      for (int i = 1; i < sent; i++) {
        String word = Answers.word(client.next());
        assertThat(word).isIn("ok", "error -32603");
        allowed += word.equals("ok") ? 1 : 0;
      }
      // Each call that reached the server has its own decision; the first call is one more.
      assertThat(server.calls()).isEqualTo(allowed + 1);
      assertThat(Answers.word(client.call("echo", Map.of()))).isEqualTo("error -32603");
      assertThat(server.calls()).isEqualTo(allowed + 1);
    }
  }
}
