package dev.safeconduct.webhook.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.ScriptedReceiver.Received;
import dev.safeconduct.testkit.WebhookRig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a delivery looks like on the wire, and that the public verifiers take it. */
final class WebhookSignatureTest {
  private static final String OK = "HTTP/1.1 204 No Content\r\n\r\n";

  /** Where {@code bin/test-prerequisites} puts the verifiers. */
  private static final Path VERIFIERS = Path.of("target/webhook-verifiers");

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

  @Test
  void aDeliveryIsWhatTheContractSays() {
    String secret = "a secret without any prefix";
    try (ScriptedReceiver receiver =
        ScriptedReceiver.answering("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n", OK)) {
      String agent = rig.agent();
      rig.webhook(agent, receiver.url() + "?a=b%20c&d", Calls.json("{'secret': '" + secret + "'}"));
      Reply changed =
          rig.service
              .owner()
              .put("/api/passports/" + agent + "/status", "{\"status\": \"suspended\"}");
      assertThat(changed.status()).as(changed.toString()).isEqualTo(200);

      assertThat(receiver.received()).hasSize(2);
      Received first = receiver.received().getFirst();
      assertThat(first.requestLine()).isEqualTo("POST /hook?a=b%20c&d HTTP/1.1");
      assertThat(first.headers().keySet())
          .containsExactlyInAnyOrder(
              "host",
              "connection",
              "content-length",
              "content-type",
              "user-agent",
              "x-webhook-event",
              "x-webhook-attempt",
              "x-webhook-id",
              "x-webhook-signature",
              "webhook-id",
              "webhook-timestamp",
              "webhook-signature");
      assertThat(first.header("host")).isEqualTo("127.0.0.1:" + receiver.port());
      assertThat(first.header("content-type")).isEqualTo("application/json");
      assertThat(first.header("user-agent")).isEqualTo("Safeconduct-Webhook/1.0");
      assertThat(first.header("x-webhook-event")).isEqualTo("status_change");
      assertThat(first.header("x-webhook-attempt")).isEqualTo("1");
      assertThat(first.header("x-webhook-signature"))
          .isEqualTo("sha256=" + hmac(secret, first.body()));
      assertThat(first.header("webhook-signature")).matches("v1,[A-Za-z0-9+/]{43}=");

      JsonObject body = json(first.body());
      assertThat(body.names())
          .containsExactly(
              "agent_id", "status", "previous_status", "updated_at", "event_type", "timestamp");
      assertThat(body.string("agent_id")).contains(agent);
      assertThat(body.string("status")).contains("suspended");
      assertThat(body.string("previous_status")).contains("active");
      assertThat(body.get("updated_at")).isEqualTo(changed.json().get("updated_at"));
      assertThat(body.string("event_type")).contains("status_change");
      assertThat(Instant.parse(body.string("timestamp").orElseThrow()))
          .isAfterOrEqualTo(Instant.parse(changed.string("updated_at")));

      Received second = receiver.received().getLast();
      assertThat(second.header("x-webhook-attempt")).isEqualTo("2");
      assertThat(second.header("x-webhook-id"))
          .isEqualTo(first.header("x-webhook-id"))
          .isEqualTo(second.header("webhook-id"))
          .matches("msg_[0-9a-f]{32}");
      assertThat(second.body()).isEqualTo(first.body());
    }
  }

  @Test
  void whoHasNoSecretGetsNoSignature() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(OK)) {
      Reply tried =
          rig.service
              .admin()
              .post("/api/admin/webhook-test", "{\"webhook_url\": \"" + receiver.url() + "\"}");
      assertThat(tried.json().isTrue("ok")).isTrue();
      assertThat(receiver.received().getFirst().headers().keySet())
          .noneMatch(name -> name.contains("signature"))
          .contains("x-webhook-id", "webhook-id", "webhook-timestamp");
    }
  }

  /**
   * While a secret is being changed both sign, so that a receiver may change over when it likes.
   */
  @Test
  void afterARotationBothSecretsSignForAWhile() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(OK)) {
      String agent = rig.agent();
      JsonObject made = rig.webhook(agent, receiver.url(), JsonObject.EMPTY);
      String before = made.string("secret").orElseThrow();
      String rotate = "/api/webhooks/" + made.string("webhook_id").orElseThrow() + "/rotate-secret";
      JsonObject rotated =
          rig.service.owner().post(rotate, "").json().object("webhook").orElseThrow();
      String after = rotated.string("secret").orElseThrow();
      assertThat(after).isNotEqualTo(before).startsWith("whsec_");
      assertThat(rotated.string("previous_secret_expires_at")).isPresent();

      rig.suspend(agent);
      Received both = receiver.received().getLast();
      assertThat(both.header("webhook-signature").split(" ", -1)).hasSize(2);
      assertThat(both.header("x-webhook-signature"))
          .isEqualTo("sha256=" + hmac(after, both.body()));
      assertThat(accepted(question(both, before), question(both, after))).containsOnly("accepted");

      String last =
          rig.service
              .owner()
              .post(rotate, "{\"grace_seconds\": 0}")
              .json()
              .object("webhook")
              .orElseThrow()
              .string("secret")
              .orElseThrow();
      rig.status(agent, "active");
      Received one = receiver.received().getLast();
      assertThat(one.header("webhook-signature").split(" ", -1)).hasSize(1);
      assertThat(accepted(question(one, last))).containsOnly("accepted");
      assertThat(accepted(question(one, before), question(one, after))).containsOnly("refused");
    }
  }

  @Test
  void thePublicVerifiersAcceptOurDeliveriesAndRefuseAlteredOnes() {
    for (String secret : List.of("", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")) {
      try (ScriptedReceiver receiver = ScriptedReceiver.answering(OK)) {
        String agent = rig.agent();
        JsonObject more =
            secret.isEmpty() ? JsonObject.EMPTY : Calls.json("{'secret': '" + secret + "'}");
        String shown = rig.webhook(agent, receiver.url(), more).string("secret").orElseThrow();
        rig.suspend(agent);
        Received sent = receiver.received().getLast();

        assertThat(accepted(question(sent, shown))).containsOnly("accepted");
        String body = new String(sent.body(), UTF_8);
        var altered = new ArrayList<JsonObject>();
        for (int at : new int[] {0, body.length() / 2, body.length() - 1}) {
          altered.add(
              question(sent, shown).toBuilder()
                  .put("body", body.substring(0, at) + "!" + body.substring(at + 1))
                  .build());
        }
        altered.add(question(sent, shown).toBuilder().put("body", body + " ").build());
        altered.add(question(sent, shown).toBuilder().put("id", "msg_other").build());
        long seconds = Long.parseLong(sent.header("webhook-timestamp"));
        altered.add(question(sent, shown).toBuilder().put("timestamp", "" + (seconds + 1)).build());
        altered.add(
            question(sent, shown).toBuilder().put("timestamp", "" + (seconds - 3600)).build());
        altered.add(
            question(sent, shown).toBuilder()
                .put("signature", sent.header("webhook-signature").replaceFirst("v1,.", "v1,-"))
                .build());
        altered.add(
            question(sent, shown).toBuilder()
                .put("secret", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
                .build());
        assertThat(accepted(altered.toArray(JsonObject[]::new))).containsOnly("refused");
      }
    }
  }

  private static JsonObject question(Received sent, String secret) {
    return JsonObject.builder()
        .put("secret", secret)
        .put("id", sent.header("webhook-id"))
        .put("timestamp", sent.header("webhook-timestamp"))
        .put("signature", sent.header("webhook-signature"))
        .put("body", new String(sent.body(), UTF_8))
        .build();
  }

  /** What each verifier says to each question: {@code accepted} or {@code refused}. */
  private static List<String> accepted(JsonObject... questions) {
    Path script = Path.of("server/src/test/webhook-verifiers/verify.mjs").toAbsolutePath();
    assertThat(VERIFIERS.resolve("node_modules/svix"))
        .as("the verifiers; bin/test-prerequisites installs them")
        .isDirectory();
    try {
      Path in = Files.createTempFile(folder, "questions", ".json");
      Files.writeString(in, Json.text(JsonArray.of(questions)));
      Process node =
          new ProcessBuilder("node", script.toString(), in.toString())
              .directory(VERIFIERS.toFile())
              .redirectErrorStream(true)
              .start();
      String said = new String(node.getInputStream().readAllBytes(), UTF_8);
      assertThat(node.waitFor()).as(said).isZero();
      List<String> verdicts = ((JsonArray) Json.parse(said)).texts();
      assertThat(verdicts).as("two verifiers").hasSize(2 * questions.length);
      return verdicts;
    } catch (IOException e) {
      throw new UncheckedIOException("node is needed; bin/test-prerequisites installs it", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } catch (JsonFault e) {
      throw new AssertionError("the verifiers did not answer in JSON", e);
    }
  }

  private static JsonObject json(byte[] body) {
    try {
      JsonValue value = Json.parse(body);
      return (JsonObject) value;
    } catch (JsonFault e) {
      throw new AssertionError(new String(body, UTF_8), e);
    }
  }

  private static String hmac(String secret, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
