package dev.safeconduct.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.WebhookRig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is told of which status change. */
final class WebhookTellingTest {
  private static final String OK = "HTTP/1.1 204 No Content\r\n\r\n";
  private static final String WEBHOOKS = "/api/webhooks";

  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static WebhookRig rig;

  @SuppressWarnings("NullAway.Init")
  private static Calls owner;

  @BeforeAll
  static void start() {
    rig = new WebhookRig(folder.resolve("rig"), WebhookRig.open(Map.of()));
    owner = rig.service.owner();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

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
            ScriptedReceiver.answering("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")) {
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
                  + ": The receiver answered 403.\"}");
      assertThat(good.received()).hasSize(1);
      assertThat(rig.deliveries(goodId).getFirst().string("status")).contains("delivered");
      assertThat(rig.deliveries(badId).getFirst().string("status")).contains("dead");
    }
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
