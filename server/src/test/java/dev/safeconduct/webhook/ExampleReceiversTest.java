package dev.safeconduct.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.WebhookRig;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The receivers under {@code examples/} take what the real server sends, and nothing else. */
final class ExampleReceiversTest {
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private static final Map<String, List<String>> RECEIVERS =
      Map.of(
          "Node.js", List.of("node", "receiver.mjs"),
          "Python", List.of("python3", "receiver.py"),
          "Java",
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "Receiver.java"));

  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static WebhookRig rig;

  @BeforeAll
  static void start() {
    rig = new WebhookRig(folder.resolve("rig"), WebhookRig.open(Map.of()));
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  /** An example, running. */
  private static final class Running implements AutoCloseable {
    private final Process process;
    private final BufferedReader said;
    private final int port;

    Running(List<String> command) throws IOException {
      var builder =
          new ProcessBuilder(command)
              .directory(Path.of("examples/webhook-receiver").toFile())
              .redirectErrorStream(true);
      builder.environment().put("PORT", "0");
      // An old secret beside the present one, as while a secret is being changed.
      builder.environment().put("WEBHOOK_SECRET", "the-old-one " + SECRET);
      process = builder.start();
      said = process.inputReader(UTF_8);
      String first = String.valueOf(said.readLine());
      assertThat(first).startsWith("listening on ");
      port = Integer.parseInt(first.substring("listening on ".length()));
    }

    String url() {
      return "http://127.0.0.1:" + port + "/hook";
    }

    @Override
    public void close() {
      process.destroy();
    }
  }

  @TestFactory
  Stream<DynamicTest> takeOurDeliveriesAndNoOthers() {
    return RECEIVERS.entrySet().stream()
        .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> check(each.getValue())));
  }

  private static void check(List<String> command) throws IOException, InterruptedException {
    try (Running receiver = new Running(command)) {
      String agent = rig.agent();
      rig.webhook(agent, receiver.url(), Calls.json("{'secret': '" + SECRET + "'}"));
      assertThat(Json.text(rig.suspend(agent)))
          .isEqualTo("{\"sent\":true,\"attempts\":1,\"error\":null}");
      assertThat(receiver.said.readLine()).contains(agent, "active", "suspended");

      String other = rig.agent();
      rig.webhook(
          other,
          receiver.url(),
          Calls.json("{'secret': 'another-secret-altogether', 'retry_attempts': 0}"));
      assertThat(rig.suspend(other).string("error")).contains("The receiver answered 401.");

      JsonObject tried =
          rig.service
              .admin()
              .post(
                  "/api/admin/webhook-test",
                  JsonObject.builder()
                      .put("webhook_url", receiver.url())
                      .put("webhook_secret", "the-old-one")
                      .build())
              .json();
      assertThat(tried.isTrue("ok")).as(Json.text(tried)).isTrue();
      assertThat(receiver.said.readLine()).contains("ap_" + "0".repeat(32));

      for (String signature : List.of("", "sha256=", "sha256=" + "0".repeat(64), "é")) {
        assertThat(post(receiver, "{\"agent_id\":\"" + agent + "\"}", signature))
            .as(signature)
            .isEqualTo(401);
      }
    }
  }

  /** On a connection of its own, as deliveries are. */
  private static int post(Running receiver, String body, String signature)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(receiver.url())).POST(BodyPublishers.ofString(body));
    if (!signature.isEmpty()) {
      request.header("X-Webhook-Signature", signature);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    }
  }
}
