package dev.safeconduct.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.OpenWebhooks;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.WebhookRig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Who is told of which status change. */
final class WebhookTellingTest extends OpenWebhooks {
  private static final String OK = "HTTP/1.1 204 No Content\r\n\r\n";
  private static final String WEBHOOKS = "/api/webhooks";

  /** A status change is told to the operator, to the organization and to whom it concerns. */
  @Test
  void eachReceiverHearsWhatItAskedFor() {
    try (ScriptedReceiver operators = ScriptedReceiver.answering(OK);
        ScriptedReceiver all = ScriptedReceiver.answering(OK);
        ScriptedReceiver first = ScriptedReceiver.answering(OK);
        ScriptedReceiver off = ScriptedReceiver.answering(OK);
        ScriptedReceiver deaf = ScriptedReceiver.answering(OK);
        ScriptedReceiver others = ScriptedReceiver.answering(OK);
        WebhookRig here =
            new WebhookRig(
                folder.resolve("operators"),
                WebhookRig.open(
                    Map.of(
                        "WEBHOOK_URL",
                        operators.url(),
                        "WEBHOOK_SECRET",
                        "the-operators-secret")))) {
      String one = here.agent();
      String two = here.agent();
      Calls calls = here.service.owner();
      assertThat(calls.post(WEBHOOKS, "{\"url\": \"" + all.url() + "\"}").status()).isEqualTo(201);
      here.webhook(one, first.url(), JsonObject.EMPTY);
      here.webhook(one, off.url(), Calls.json("{'active': false}"));
      here.webhook(one, deaf.url(), Calls.json("{'events': ['passport.updated']}"));
      String org = here.service.admin().post("/api/orgs", "{\"name\": \"O\"}").string("org_id");
      here.service
          .admin()
          .post(WEBHOOKS, "{\"url\": \"" + others.url() + "\", \"org_id\": \"" + org + "\"}");

      assertThat(Json.text(here.suspend(one)))
          .isEqualTo("{\"sent\":true,\"attempts\":1,\"error\":null}");
      assertThat(Json.text(here.suspend(two)))
          .isEqualTo("{\"sent\":true,\"attempts\":1,\"error\":null}");

      assertThat(operators.received()).hasSize(2);
      assertThat(operators.received().getFirst().header("x-webhook-signature"))
          .startsWith("sha256=");
      assertThat(all.received()).hasSize(2);
      assertThat(first.received()).hasSize(1);
      assertThat(first.received().getFirst().header("x-webhook-id"))
          .isEqualTo(all.received().getFirst().header("x-webhook-id"))
          .isEqualTo(operators.received().getFirst().header("x-webhook-id"));
      assertThat(off.connections() + deaf.connections() + others.connections()).isZero();
      assertThat(here.deliveries("global")).hasSize(2);
      assertThat(calls.get(WEBHOOKS + "/global/deliveries").status()).isEqualTo(404);
      assertThat(calls.post(WEBHOOKS + "/global/redeliver", "").status()).isEqualTo(404);
    }
  }

  @Test
  void oneFailingReceiverIsNamedAndTheOthersAreServed() {
    try (ScriptedReceiver good = ScriptedReceiver.answering(OK);
        ScriptedReceiver bad =
            ScriptedReceiver.answering("HTTP/1.1 410 No\r\nContent-Length: 0\r\n\r\n")) {
      String agent = rig.agent();
      String goodId =
          rig.webhook(agent, good.url(), JsonObject.EMPTY).string("webhook_id").orElseThrow();
      String badId =
          rig.webhook(agent, bad.url(), JsonObject.EMPTY).string("webhook_id").orElseThrow();
      JsonObject told = rig.suspend(agent);
      assertThat(Json.text(told))
          .isEqualTo(
              "{\"sent\":false,\"attempts\":1,\"error\":\""
                  + badId
                  + ": The receiver answered 410.\"}");
      assertThat(good.received()).hasSize(1);
      assertThat(rig.deliveries(goodId).getFirst().string("status")).contains("delivered");
      assertThat(rig.deliveries(badId).getFirst().string("status")).contains("dead");
    }
  }

  /** A crash while a slow receiver is waited for must not lose what became of the others. */
  @Test
  void aResultIsRecordedWhileAnotherReceiverHangs() throws Exception {
    var reached = new CountDownLatch(1);
    var release = new CountDownLatch(1);
    try (ScriptedReceiver good = ScriptedReceiver.answering(OK);
        ScriptedReceiver bad =
            ScriptedReceiver.answering("HTTP/1.1 410 No\r\nContent-Length: 0\r\n\r\n");
        ScriptedReceiver slow =
            ScriptedReceiver.start((connection, _) -> {
              connection.request();
              reached.countDown();
              release.await();
              connection.send(OK);
            })) {
      String agent = rig.agent();
      JsonObject patient = Calls.json("{'timeout_ms': 60000}");
      String goodId =
          rig.webhook(agent, good.url(), JsonObject.EMPTY).string("webhook_id").orElseThrow();
      String badId =
          rig.webhook(agent, bad.url(), JsonObject.EMPTY).string("webhook_id").orElseThrow();
      rig.webhook(agent, slow.url(), patient);
      var told = CompletableFuture.supplyAsync(() -> rig.suspend(agent));
      reached.await();
      assertThat(recorded(goodId)).isEqualTo("delivered");
      assertThat(recorded(badId)).isEqualTo("dead");
      assertThat(rig.deadLetters(agent)).hasSize(1);
      assertThat(told).isNotDone();
      release.countDown();
      assertThat(Json.text(told.get())).contains(badId + ": The receiver answered 410.");
    } finally {
      release.countDown();
    }
  }

  /** The state of the webhook's newest delivery, once it is no longer being sent. */
  private String recorded(String webhookId) {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    String state;
    do {
      state = rig.deliveries(webhookId).getFirst().string("status").orElseThrow();
    } while (state.equals("sending") && System.nanoTime() < end);
    return state;
  }

  @Test
  void theSameStatusAgainIsToldToNobody() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(OK)) {
      String agent = rig.agent();
      rig.webhook(agent, receiver.url(), JsonObject.EMPTY);
      rig.suspend(agent);
      assertThat(Json.text(rig.suspend(agent)))
          .isEqualTo("{\"sent\":false,\"attempts\":0,\"error\":null}");
      assertThat(receiver.received()).hasSize(1);
      // A change of anything else is no status change; a status in an update is one.
      assertThat(owner.patch("/api/passports/" + agent, "{\"role\": \"x\"}").status())
          .isEqualTo(200);
      assertThat(receiver.received()).hasSize(1);
      assertThat(owner.patch("/api/passports/" + agent, "{\"status\": \"active\"}").status())
          .isEqualTo(200);
      assertThat(receiver.received()).hasSize(2);
    }
  }

  @Test
  void changesTakeEffectWithTheNextEvent() {
    try (ScriptedReceiver old = ScriptedReceiver.answering(OK);
        ScriptedReceiver fresh = ScriptedReceiver.answering(OK)) {
      String agent = rig.agent();
      String other = rig.agent();
      String id =
          rig.webhook(agent, old.url(), JsonObject.EMPTY).string("webhook_id").orElseThrow();
      Reply changed =
          owner.patch(
              WEBHOOKS + "/" + id,
              Json.text(
                  JsonObject.builder()
                      .put("url", fresh.url())
                      .put("target", "agent")
                      .put("target_id", other)
                      .put("timeout_ms", 250)
                      .build()));
      assertThat(changed.status()).as(changed.toString()).isEqualTo(200);
      assertThat(changed.text()).contains("\"timeout_ms\":250", "\"retry_attempts\":3", other);
      rig.suspend(agent);
      rig.suspend(other);
      assertThat(old.connections()).isZero();
      assertThat(fresh.received()).hasSize(1);
    }
  }

  /** The operator sees the receiver of the settings in the list; nobody else does. */
  @Test
  void theOperatorsReceiverIsListedForTheOperator() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering(OK);
        WebhookRig here =
            new WebhookRig(
                folder.resolve("global"),
                WebhookRig.open(
                    Map.of("WEBHOOK_URL", receiver.url(), "WEBHOOK_SECRET", "not-for-a-list")))) {
      Calls operator = here.service.admin();
      String first = here.agent();
      here.webhook(first, receiver.url(), JsonObject.EMPTY);
      Reply list = operator.get(WEBHOOKS);
      List<JsonObject> all = WebhookRig.objects(list, "webhooks");
      assertThat(all).extracting(each -> each.string("webhook_id").orElseThrow()).hasSize(2);
      assertThat(all.getLast().string("webhook_id")).contains("global");
      assertThat(all.getLast().string("url")).contains(receiver.url());
      assertThat(list.text()).doesNotContain("not-for-a-list");
      assertThat(operator.get(WEBHOOKS + "/global").json().object("webhook"))
          .contains(all.getLast());
      assertThat(operator.delete(WEBHOOKS + "/global").status()).isEqualTo(409);

      Reply page = operator.get(WEBHOOKS + "?limit=1");
      assertThat(WebhookRig.objects(page, "webhooks")).containsExactly(all.getFirst());
      Reply next = operator.get(WEBHOOKS + "?limit=1&cursor=" + page.string("next_cursor"));
      assertThat(WebhookRig.objects(next, "webhooks")).containsExactly(all.getLast());
      assertThat(next.json().get("next_cursor")).isEqualTo(JsonNull.NULL);

      Calls tenant = here.service.owner();
      assertThat(WebhookRig.objects(tenant.get(WEBHOOKS), "webhooks")).hasSize(1);
      assertThat(tenant.get(WEBHOOKS + "/global").status()).isEqualTo(404);
    }
  }

  /** Whoever changes a status with other members learns of a failed delivery too. */
  @Test
  void anUpdateThatChangesTheStatusSaysWhatBecameOfTheNotification() {
    try (ScriptedReceiver receiver =
        ScriptedReceiver.answering(OK, "HTTP/1.1 410 No\r\nContent-Length: 0\r\n\r\n")) {
      String agent = rig.agent();
      String path = "/api/passports/" + agent;
      rig.webhook(agent, receiver.url(), JsonObject.EMPTY);
      assertThat(owner.patch(path, "{\"status\": \"suspended\", \"role\": \"y\"}").text())
          .contains("\"webhook\":{\"sent\":true,\"attempts\":1,\"error\":null}");
      assertThat(
              rig.service
                  .admin()
                  .post(
                      "/api/admin/update",
                      "{\"agent_id\": \"" + agent + "\", \"status\": \"active\"}")
                  .text())
          .contains(
              "\"webhook\":{\"sent\":false,\"attempts\":1,"
                  + "\"error\":\"The receiver answered 410.\"}");
      assertThat(
              owner.patch(path, "{\"status\": \"active\", \"role\": \"z\"}").json().has("webhook"))
          .isFalse();
      assertThat(owner.get(path).json().has("webhook")).isFalse();
    }
  }

  /** On PostgreSQL a webhook registered on one node is told by the other. */
  @Test
  void allNodesTellAllReceivers() {
    var settings = new HashMap<String, String>(WebhookRig.open(Map.of()));
    settings.putAll(EachStore.POSTGRES.settings());
    try (WebhookRig one = new WebhookRig(folder.resolve("one"), settings);
        WebhookRig two = new WebhookRig(folder.resolve("two"), settings);
        ScriptedReceiver receiver = ScriptedReceiver.answering(OK)) {
      String agent = one.agent();
      String id =
          one.webhook(agent, receiver.url(), JsonObject.EMPTY).string("webhook_id").orElseThrow();
      Reply suspended =
          two.service
              .withKey(one.service.key())
              .put("/api/passports/" + agent + "/status", "{\"status\": \"suspended\"}");
      assertThat(suspended.text()).contains("\"sent\":true");
      assertThat(receiver.received()).hasSize(1);
      assertThat(one.deliveries(id)).hasSize(1);
    }
  }
}
