package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Scope;
import dev.safeconduct.testkit.TlsFiles;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** HTTP/2 by everyday clients: the JDK's and curl. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Http2Test {
  private static final int TOGETHER = 100;

  private final CountDownLatch together = new CountDownLatch(TOGETHER);
  private final SynchronousQueue<String> events = new SynchronousQueue<>();
  private Path folder;
  private TestServer server;
  private HttpClient client;

  private Response meet(Request request) {
    together.countDown();
    try {
      assertThat(together.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return Response.bytes(200, "text/plain", request.body());
  }

  private Response live(Request request) {
    return Response.stream(
        200,
        "text/event-stream",
        out -> {
          try {
            for (String event = events.take(); !event.isEmpty(); event = events.take()) {
              out.write(("data: " + event + "\n\n").getBytes(StandardCharsets.UTF_8));
              out.flush();
            }
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @BeforeAll
  void start(@TempDir Path made) throws Exception {
    folder = made;
    Certificate certificate = TlsFiles.shown(folder, "one");
    server =
        new TestServer(
            TlsFiles.settings(folder),
            Route.post("/verify", Permission.scope(Scope.READ), r -> Response.json(200, r.json()))
                .large()
                .verify(),
            Route.post("/meet", Permission.scope(Scope.READ), this::meet),
            Route.get("/live", Permission.OPEN, this::live),
            Route.get(
                "/page",
                Permission.OPEN,
                _ ->
                    Response.bytes(200, "text/html", "<p>Hello".getBytes(StandardCharsets.UTF_8))
                        .header("ETag", "\"1\"")
                        .header("Set-Cookie", "a=1")
                        .header("Set-Cookie", "b=2")),
            Route.get("/nothing", Permission.OPEN, _ -> Response.empty(204)));
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_2)
            .sslContext(TlsFiles.trusting(certificate))
            .build();
  }

  @AfterAll
  void stop() {
    client.close();
    server.close();
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + server.server().port() + path))
        .timeout(Duration.ofSeconds(60))
        .header("X-API-Key", "reader")
        .header("Content-Type", "application/json");
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
    assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(answer.headers().map().keySet())
        .doesNotContain("connection", "keep-alive", "transfer-encoding");
    assertThat(answer.headers().firstValue("X-Request-Id")).isPresent();
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(answer.headers().firstValue("Date")).isPresent();
    return answer;
  }

  @Test
  void requestsAreAnsweredAsByHttp1() throws Exception {
    HttpResponse<String> verified =
        send(to("/verify").POST(BodyPublishers.ofString("{\"a\":1}")).header("X-Request-Id", "r1"));
    assertThat(verified.statusCode()).isEqualTo(200);
    assertThat(verified.body()).isEqualTo("{\"a\":1}");
    assertThat(verified.headers().firstValue("X-Request-Id")).contains("r1");
    assertThat(verified.headers().firstValue("Server-Timing")).isPresent();

    HttpResponse<String> page = send(to("/page?a=b"));
    assertThat(page.body()).isEqualTo("<p>Hello");
    assertThat(page.headers().firstValue("Content-Length")).contains("8");
    assertThat(page.headers().allValues("Set-Cookie")).containsExactly("a=1", "b=2");
    HttpResponse<String> head = send(to("/page").HEAD());
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.headers().firstValue("Content-Length")).contains("8");
    HttpResponse<String> known = send(to("/page").header("If-None-Match", "\"1\""));
    assertThat(known.statusCode()).isEqualTo(304);
    assertThat(known.headers().firstValue("Content-Type")).isEmpty();
    assertThat(send(to("/nothing")).statusCode()).isEqualTo(204);

    HttpResponse<String> unknown = send(to("/nowhere"));
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).contains("\"endpoint_not_found\"", "\"path\":\"/nowhere\"");
    HttpResponse<String> wrong = send(to("/page").method("BREW", BodyPublishers.noBody()));
    assertThat(wrong.statusCode()).isEqualTo(405);
    assertThat(wrong.headers().firstValue("Allow")).contains("GET, HEAD, OPTIONS");
    HttpResponse<String> stranger =
        send(to("/verify").setHeader("X-API-Key", "?").POST(BodyPublishers.ofString("{}")));
    assertThat(stranger.statusCode()).isEqualTo(401);
    assertThat(stranger.headers().firstValue("WWW-Authenticate")).isPresent();
    assertThat(stranger.body()).contains("\"allow\":false");
  }

  @Test
  void largeBodiesAreTakenAndTooLargeOnesSeeTheirAnswer() throws Exception {
    String fits = "{\"a\":\"" + "x".repeat(11 << 20) + "\"}";
    assertThat(send(to("/verify").POST(BodyPublishers.ofString(fits))).body())
        .hasSize(fits.length());
    byte[] large = new byte[13 << 20];
    for (BodyPublisher publisher :
        List.of(
            BodyPublishers.ofByteArray(large),
            BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large)))) {
      assertThat(send(to("/verify").POST(publisher)).statusCode()).isEqualTo(413);
    }
    assertThat(send(to("/verify").POST(BodyPublishers.ofString("{}"))).statusCode()).isEqualTo(200);
  }

  @Test
  void aRequestRefusedBeforeItsBodySeesItsAnswerAndTheConnectionGoesOn() throws Exception {
    byte[] body = new byte[2 << 20];
    for (int i = 0; i < 5; i++) {
      HttpResponse<String> refused =
          send(to("/verify").setHeader("X-API-Key", "?").POST(BodyPublishers.ofByteArray(body)));
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(send(to("/nowhere").POST(BodyPublishers.ofByteArray(body))).statusCode())
          .isEqualTo(404);
      HttpResponse<String> asked =
          send(to("/verify").expectContinue(true).POST(BodyPublishers.ofString("{\"i\":1}")));
      assertThat(asked.body()).isEqualTo("{\"i\":1}");
    }
  }

  @Test
  void manyRequestsAreServedAtOnce() throws Exception {
    var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    for (int i = 0; i < TOGETHER; i++) {
      HttpRequest request = to("/meet").POST(BodyPublishers.ofString("{\"i\":" + i + "}")).build();
      answers.add(client.sendAsync(request, BodyHandlers.ofString()));
    }
    for (int i = 0; i < TOGETHER; i++) {
      HttpResponse<String> answer = answers.get(i).get(30, TimeUnit.SECONDS);
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(answer.body()).isEqualTo("{\"i\":" + i + "}");
    }
  }

  @Test
  void eventsArriveAsTheyHappen() throws Exception {
    HttpResponse<InputStream> answer =
        client.send(to("/live").build(), BodyHandlers.ofInputStream());
    try (var lines =
        new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
      for (String event : List.of("one", "two", "three")) {
        events.put(event);
        assertThat(lines.readLine()).isEqualTo("data: " + event);
        assertThat(lines.readLine()).isEmpty();
      }
      events.put("");
      assertThat(lines.readLine()).isNull();
    }
  }

  @Test
  void curlIsAnsweredToo() throws Exception {
    Path fits =
        Files.writeString(folder.resolve("fits"), "{\"a\":\"" + "x".repeat(11 << 20) + "\"}");
    Path large = Files.writeString(folder.resolve("large"), "x".repeat(13 << 20));
    assertThat(curl("/page")).isEqualTo("2 200");
    assertThat(curl("/page", "--http1.1")).isEqualTo("1.1 200");
    assertThat(curl("/verify", "--data-binary", "@" + fits)).isEqualTo("2 200");
    assertThat(curl("/verify", "--data-binary", "@" + large)).isEqualTo("2 413");
    assertThat(curl("/verify", "--data-binary", "@" + large, "-H", "X-API-Key: ?"))
        .isEqualTo("2 401");
    assertThat(curl("/nowhere", "--data-binary", "@" + large)).isEqualTo("2 404");
    assertThat(curl("/page", "-H", "X-Long: " + "x".repeat(40_000))).isEqualTo("2 431");
    assertThat(curl("/" + "x".repeat(9_000))).isEqualTo("2 414");
  }

  /** The version curl spoke and the status it got. */
  private String curl(String path, String... more) throws Exception {
    var command =
        new ArrayList<>(List.of("curl", "-sS", "--http2", "--max-time", "60", "-o", "/dev/null"));
    command.addAll(List.of("--cacert", folder.resolve("chain.pem").toString()));
    command.addAll(List.of("-w", "%{http_version} %{http_code}"));
    command.addAll(List.of("-H", "X-API-Key: reader", "-H", "Content-Type: application/json"));
    command.addAll(List.of(more));
    command.add("https://localhost:" + server.server().port() + path);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }

  @Test
  void countsAreOfAllVersions() throws Exception {
    assertThat(send(to("/nothing")).statusCode()).isEqualTo(204);
    HttpRequest.Builder metrics = HttpRequest.newBuilder(to("/metrics").build().uri());
    assertThat(send(metrics.header("Authorization", "Bearer the-admin-token")).body())
        .contains("http_server_requests_total{method=\"GET\",route=\"/nothing\",status=\"204\"}");
  }
}
