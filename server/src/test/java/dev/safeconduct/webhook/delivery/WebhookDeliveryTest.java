package dev.safeconduct.webhook.delivery;

import static dev.safeconduct.testkit.WebhookRig.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.WebhookRig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What receivers of every kind come to: tries, the times between them, the answer of the status
 * operation, the dead letter and the kept delivery. The cases stand in {@code
 * webhook/deliveries.json}.
 */
final class WebhookDeliveryTest {
  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static WebhookRig usual;

  @SuppressWarnings("NullAway.Init")
  private static WebhookRig patient;

  /** Where redirects lead: nobody may come. */
  @SuppressWarnings("NullAway.Init")
  private static ScriptedReceiver elsewhere;

  @BeforeAll
  static void start() {
    usual = new WebhookRig(folder.resolve("usual"), WebhookRig.open(Map.of()));
    patient =
        new WebhookRig(
            folder.resolve("patient"),
            WebhookRig.open(Map.of("WEBHOOK_TOTAL_TIMEOUT_MS", "300000")));
    elsewhere = ScriptedReceiver.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  }

  @AfterAll
  static void stop() {
    try {
      assertThat(elsewhere.connections()).as("redirects that were followed").isZero();
    } finally {
      elsewhere.close();
      patient.close();
      usual.close();
    }
  }

  @TestFactory
  List<DynamicTest> endAsTheContractSays() {
    return CaseFile.tests(
        "webhook/deliveries.json",
        wanted -> wanted.string("about").orElseThrow(),
        WebhookDeliveryTest::check);
  }

  private static void check(JsonObject wanted) throws IOException {
    WebhookRig rig = wanted.has("total") ? patient : usual;
    List<String> answers = wanted.array("answers").orElseThrow().texts();
    String path = wanted.string("path").orElse("/hook?x=1");
    String scheme = wanted.string("scheme").orElse("http");
    try (ScriptedReceiver receiver =
        ScriptedReceiver.start((connection, number) ->
            play(connection, answers.get(Math.min(number, answers.size()) - 1)))) {
      int port = answers.equals(List.of("@closed")) ? ServerProcess.freePort() : receiver.port();
      String url = scheme + "://127.0.0.1:" + port + path;
      String agent = rig.agent();
      JsonObject webhook = rig.webhook(agent, url, policy(wanted));
      rig.ticker.pauses();

      JsonObject told = rig.suspend(agent);

      JsonObject want = wanted.object("want").orElseThrow();
      String id = webhook.string("webhook_id").orElseThrow();
      assertThat(rig.ticker.pauses()).isEqualTo(waits(want));
      assertThat(Json.text(told)).isEqualTo(Json.text(answer(want)));
      for (int i = 0; i < receiver.received().size(); i++) {
        assertThat(receiver.received().get(i).requestLine())
            .isEqualTo("POST " + path + " HTTP/1.1");
        assertThat(receiver.received().get(i).header("x-webhook-attempt")).isEqualTo("" + (i + 1));
      }
      checkDeadLetter(rig, agent, url, want);
      checkDelivery(rig.deliveries(id), want);
    }
  }

  /** The text, up to an {@code @} that asks for something no text can say. */
  private static void play(ScriptedReceiver.Connection connection, String answer)
      throws IOException, InterruptedException {
    int at = answer.indexOf('@');
    String special = at < 0 ? "" : answer.substring(at);
    if (!List.of("@deaf", "@reset", "@plain").contains(special)) {
      connection.request();
    }
    connection.send(
        (at < 0 ? answer : answer.substring(0, at))
            .replace("${64KiB}", "x".repeat(65_536))
            .replace("${other}", elsewhere.url()));
    switch (special.replaceAll("(?s):.*", "")) {
      case "@hang", "@deaf" -> connection.hang();
      case "@trickle" -> connection.trickle(special.substring("@trickle:".length()));
      case "@flood" -> connection.flood(special.substring("@flood:".length()));
      case "@reset" -> connection.reset();
      case "@plain" -> connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
      default -> {}
    }
  }

  private static JsonObject policy(JsonObject wanted) {
    JsonObject.Builder policy = JsonObject.builder();
    for (String name : List.of("retry_attempts", "retry_delay_ms", "timeout_ms")) {
      if (wanted.get(name) instanceof JsonNumber number) {
        policy.put(name, number);
      }
    }
    return policy.build();
  }

  private static List<Duration> waits(JsonObject want) {
    return want.array("waits_ms").orElseThrow().elements().stream()
        .map(wait -> Duration.ofMillis((long) ((JsonNumber) wait).value()))
        .toList();
  }

  private static JsonObject answer(JsonObject want) {
    return JsonObject.builder()
        .put("sent", member(want, "sent"))
        .put("attempts", member(want, "attempts"))
        .put("error", member(want, "error"))
        .build();
  }

  private static void checkDeadLetter(WebhookRig rig, String agent, String url, JsonObject want) {
    List<JsonObject> letters = rig.deadLetters(agent);
    if (want.isTrue("sent")) {
      assertThat(letters).isEmpty();
      return;
    }
    assertThat(letters).hasSize(1);
    JsonObject letter = letters.getFirst();
    assertThat(letter.names())
        .containsExactly(
            "timestamp", "webhook_url", "payload", "failure_reason", "attempts", "response_status");
    assertThat(letter.string("webhook_url")).contains(url);
    assertThat(letter.string("failure_reason")).isEqualTo(want.string("error"));
    assertThat(member(letter, "attempts")).isEqualTo(member(want, "attempts"));
    assertThat(member(letter, "response_status")).isEqualTo(member(want, "response_status"));
  }

  private static void checkDelivery(List<JsonObject> deliveries, JsonObject want) {
    assertThat(deliveries).hasSize(1);
    JsonObject delivery = deliveries.getFirst();
    assertThat(delivery.string("status")).contains(want.isTrue("sent") ? "delivered" : "dead");
    assertThat(delivery.string("failure_reason")).isEqualTo(want.string("error"));
    assertThat(member(delivery, "attempts")).isEqualTo(member(want, "attempts"));
    assertThat(member(delivery, "response_status")).isEqualTo(member(want, "response_status"));
    assertThat(member(delivery, "response_time_ms")).isInstanceOf(JsonNumber.class);
  }
}
