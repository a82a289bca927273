package dev.safeconduct.webhook.delivery;

import static dev.safeconduct.testkit.WebhookRig.member;
import static dev.safeconduct.testkit.WebhookRig.objects;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.OpenWebhooks;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.ScriptedReceiver.Received;
import dev.safeconduct.testkit.WebhookRig;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What did not arrive is written down, can be looked at, and sent again. */
final class WebhookRedeliveryTest extends OpenWebhooks {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret";
  private static final String BROKEN = "HTTP/1.1 500 X\r\nContent-Length: 6\r\n\r\nsecret";
  private static final JsonObject ONCE = Calls.json("{'retry_attempts': 0}");
  private static final String BAD = "HTTP/1.1 422 X\r\nContent-Length: 0\r\n\r\n";

  @Test
  void aDeadLetterIsALineOfItsLoggerAndOfItsFile() throws IOException {
    var logger = (Logger) LoggerFactory.getLogger("deadletter");
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(BROKEN)) {
      String agent = rig.agent();
      rig.webhook(agent, receiver.url(), Calls.json("{'retry_attempts': 0}"));
      rig.suspend(agent);
      JsonObject letter = rig.deadLetters(agent).getFirst();
      assertThat(lines.list)
          .singleElement()
          .satisfies(event -> assertThat(event.getFormattedMessage()).isEqualTo(Json.text(letter)));
      assertThat(Json.text(letter.object("payload").orElseThrow()))
          .isEqualTo(new String(receiver.received().getFirst().body(), UTF_8));
      assertThat(Json.text(letter))
          .contains(
              "\"webhook_url\":\"" + receiver.url() + "\"",
              "\"failure_reason\":\"The receiver answered 500.\",\"attempts\":1,"
                  + "\"response_status\":500}")
          .startsWith("{\"timestamp\":\"")
          .doesNotContain("secret");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(rig.deadLetterFile())))
          .isEqualTo("rw-------");
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(before);
    }
  }

  @Test
  void oneIsSentAgainAsItWas() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(BROKEN, BROKEN, BROKEN, OK)) {
      String agent = rig.agent();
      JsonObject webhook = rig.webhook(agent, receiver.url(), Calls.json("{'retry_attempts': 1}"));
      String id = webhook.string("webhook_id").orElseThrow();
      rig.suspend(agent);
      JsonObject dead = rig.deliveries(id).getFirst();
      assertThat(dead.string("status")).contains("dead");
      assertThat(Json.text(dead)).doesNotContain("secret");
      String again =
          "/api/webhooks/deliveries/" + dead.string("delivery_id").orElseThrow() + "/redeliver";

      Reply taken = owner.post(again, "");

      assertThat(taken.status()).as(taken.toString()).isEqualTo(200);
      assertThat(taken.json().isTrue("ok")).isTrue();
      JsonObject delivery = taken.json().object("delivery").orElseThrow();
      assertThat(delivery.string("status")).contains("delivered");
      assertThat(member(delivery, "attempts")).isEqualTo(new JsonNumber(4));
      assertThat(member(delivery, "response_status")).isEqualTo(new JsonNumber(200));
      assertThat(member(delivery, "failure_reason")).isEqualTo(JsonNull.NULL);
      assertThat(rig.deliveries(id)).containsExactly(delivery);
      assertThat(receiver.received()).hasSize(4);
      Received first = receiver.received().getFirst();
      for (Received each : receiver.received()) {
        assertThat(each.header("x-webhook-id")).isEqualTo(first.header("x-webhook-id"));
        assertThat(each.body()).isEqualTo(first.body());
      }
      assertThat(receiver.received().get(2).header("x-webhook-attempt")).isEqualTo("1");
      assertThat(receiver.received().get(3).header("x-webhook-attempt")).isEqualTo("2");
      assertThat(rig.deadLetters(agent)).hasSize(1);
    }
  }

  /** The receiver answers when all other requests have been answered. */
  @Test
  void manyRequestsAtOnceSendItOnce() {
    int requests = 8;
    var others = new CountDownLatch(requests - 1);
    ScriptedReceiver.Script script =
        (connection, number) -> {
          connection.request();
          boolean _ = number == 1 || others.await(5, TimeUnit.SECONDS);
          connection.send(number == 1 ? BAD : OK);
        };
    try (ScriptedReceiver receiver = ScriptedReceiver.start(script)) {
      String agent = rig.agent();
      String id = id(rig.webhook(agent, receiver.url(), ONCE));
      rig.suspend(agent);
      String delivery = rig.deliveries(id).getFirst().string("delivery_id").orElseThrow();
      List<Reply> replies =
          AtOnce.run(
              requests,
              i -> {
                String path = i == 0 ? id : "deliveries/" + delivery;
                Reply reply = owner.post("/api/webhooks/" + path + "/redeliver", "");
                others.countDown();
                return reply;
              });
      assertThat(receiver.received()).hasSize(2);
      assertThat(rig.deliveries(id).getFirst().string("status")).contains("delivered");
      assertThat(replies.stream().skip(1).filter(reply -> reply.status() == 409).count())
          .isGreaterThanOrEqualTo(requests - 2);
    }
  }

  @Test
  void oneThatFailsAgainIsADeadLetterAgain() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(BAD)) {
      String agent = rig.agent();
      String id = id(rig.webhook(agent, receiver.url(), ONCE));
      rig.suspend(agent);
      String delivery = rig.deliveries(id).getFirst().string("delivery_id").orElseThrow();
      Reply failed = owner.post("/api/webhooks/deliveries/" + delivery + "/redeliver", "");
      assertThat(failed.status()).as(failed.toString()).isEqualTo(200);
      assertThat(failed.json().isTrue("ok")).isFalse();
      assertThat(failed.text())
          .contains("\"attempts\":2", "\"failure_reason\":\"The receiver answered 422.\"");
      assertThat(rig.deadLetters(agent)).hasSize(2);
      assertThat(rig.deadLetters(agent).getLast().get("attempts")).isEqualTo(new JsonNumber(1));
    }
  }

  /** The way out of a typing mistake: correct the address, then send again what was missed. */
  @Test
  void allAreSentAgainToWhereTheWebhookPointsNow() {
    try (ScriptedReceiver wrong = ScriptedReceiver.answering(BAD);
        ScriptedReceiver right = ScriptedReceiver.answering(OK)) {
      String agent = rig.agent();
      String id = id(rig.webhook(agent, wrong.url(), ONCE));
      for (String status : List.of("suspended", "active", "suspended", "active", "suspended")) {
        rig.status(agent, status);
      }
      Reply inVain = owner.post("/api/webhooks/" + id + "/redeliver", "");
      assertThat(inVain.text())
          .isEqualTo(
              "{\"ok\":false,\"webhook_id\":\""
                  + id
                  + "\",\"delivered\":0,\"failed\":5,\"remaining\":5,"
                  + "\"failure_reason\":\"The receiver answered 422.\"}");
      owner.patch("/api/webhooks/" + id, "{\"url\": \"" + right.url() + "\"}");

      Reply all = owner.post("/api/webhooks/" + id + "/redeliver", "");

      assertThat(all.text())
          .isEqualTo(
              "{\"ok\":true,\"webhook_id\":\""
                  + id
                  + "\",\"delivered\":5,\"failed\":0,\"remaining\":0,\"failure_reason\":null}");
      assertThat(right.received())
          .extracting(each -> status(each.body()))
          .containsExactly("suspended", "active", "suspended", "active", "suspended");
      assertThat(objects(owner.get(deliveries(id) + "?status=dead"), "deliveries")).isEmpty();
      assertThat(objects(owner.get(deliveries(id) + "?status=delivered&limit=9"), "deliveries"))
          .hasSize(5)
          .allMatch(each -> each.string("webhook_url").orElseThrow().equals(right.url()));
    }
  }

  /** A receiver that is down is not asked for each of a thousand letters. */
  @Test
  void sendingAllEndsWhenTheReceiverIsDown() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(BAD, BAD, BAD, OK, BROKEN)) {
      String agent = rig.agent();
      String id = id(rig.webhook(agent, receiver.url(), ONCE));
      for (String status : List.of("suspended", "active", "suspended")) {
        rig.status(agent, status);
      }
      Reply all = owner.post("/api/webhooks/" + id + "/redeliver", "");
      assertThat(all.text())
          .contains(
              "\"delivered\":1,\"failed\":1,\"remaining\":2,"
                  + "\"failure_reason\":\"The receiver answered 500.\"");
      assertThat(receiver.received()).hasSize(5);
    }
  }

  @Test
  void theOperatorsReceiverIsSentAgainByTheOperator() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(BAD, BAD, BAD, OK);
        WebhookRig here =
            new WebhookRig(
                folder.resolve("operator"),
                Map.of("WEBHOOK_URL", receiver.url(), "WEBHOOK_RETRY_ATTEMPTS", "0"))) {
      String agent = here.agent();
      assertThat(Json.text(here.suspend(agent)))
          .isEqualTo("{\"sent\":false,\"attempts\":1,\"error\":\"The receiver answered 422.\"}");
      here.status(agent, "active");
      String first = here.deliveries("global").getLast().string("delivery_id").orElseThrow();
      String again = "/api/webhooks/deliveries/" + first + "/redeliver";
      assertThat(here.service.owner().post(again, "").status()).isEqualTo(404);
      assertThat(here.service.admin().post(again, "").json().isTrue("ok")).isFalse();
      assertThat(here.service.admin().post("/api/webhooks/global/redeliver", "").text())
          .contains("\"delivered\":2", "\"remaining\":0");
    }
  }

  @Test
  void whatHasNoReceiverAnyMoreIsAConflict() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(BAD)) {
      String agent = rig.agent();
      String id = id(rig.webhook(agent, receiver.url(), ONCE));
      rig.suspend(agent);
      String delivery = rig.deliveries(id).getFirst().string("delivery_id").orElseThrow();
      assertThat(owner.delete("/api/webhooks/" + id).status()).isEqualTo(200);
      assertThat(owner.get(deliveries(id)).status()).isEqualTo(404);
      Reply again = owner.post("/api/webhooks/deliveries/" + delivery + "/redeliver", "");
      assertThat(again.status()).as(again.toString()).isEqualTo(409);
      assertThat(receiver.received()).hasSize(1);
    }
  }

  @Test
  void deliveriesComePageByPage() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(OK)) {
      String agent = rig.agent();
      String id = id(rig.webhook(agent, receiver.url(), JsonObject.EMPTY));
      for (String status : List.of("suspended", "active", "suspended")) {
        rig.status(agent, status);
      }
      Reply page = owner.get(deliveries(id) + "?limit=2");
      assertThat(objects(page, "deliveries")).hasSize(2);
      Reply next = owner.get(deliveries(id) + "?limit=2&cursor=" + page.string("next_cursor"));
      assertThat(objects(next, "deliveries")).hasSize(1);
      assertThat(
              objects(next, "deliveries")
                  .getFirst()
                  .object("payload")
                  .orElseThrow()
                  .string("previous_status"))
          .contains("active");
      assertThat(next.json().get("next_cursor")).isEqualTo(JsonNull.NULL);
    }
  }

  private static String id(JsonObject webhook) {
    return webhook.string("webhook_id").orElseThrow();
  }

  private static String deliveries(String webhookId) {
    return "/api/webhooks/" + webhookId + "/deliveries";
  }

  private static String status(byte[] body) {
    return new Reply(200, HttpHeaders.of(Map.of(), (_, _) -> true), body).string("status");
  }
}
