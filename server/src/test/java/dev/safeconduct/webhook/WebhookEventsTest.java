package dev.safeconduct.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.ScriptedReceiver.Received;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WebhookRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events from what happens to the receiver, through the service's own threads. */
final class WebhookEventsTest {
  private static final MovableClock clock = new MovableClock();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static TestService service;

  @SuppressWarnings("NullAway.Init")
  private static Calls person;

  private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
  private volatile String answer = "HTTP/1.1 204 X\r\n\r\n";

  private final ScriptedReceiver receiver =
      ScriptedReceiver.start((connection, _) -> {
        received.add(connection.request());
        connection.send(answer);
      });

  @BeforeAll
  static void start() {
    service = TestService.start(WebhookRig.open(Map.of("EVENT_DENY_SPIKE", "3")), clock);
    person = service.operator();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void closeReceiver() {
    receiver.close();
  }

  private String subscribe(String format, String... events) {
    Reply made =
        service
            .owner()
            .post(
                "/api/webhooks",
                Calls.json(
                    "{'url': '"
                        + receiver.url()
                        + "', 'format': '"
                        + format
                        + "', 'events': ['"
                        + String.join("','", events)
                        + "']}"));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    assertThat(made.json().get("warnings")).isNull();
    return made.json().object("webhook").orElseThrow().string("webhook_id").orElseThrow();
  }

  private void delete(String webhook) {
    assertThat(service.owner().delete("/api/webhooks/" + webhook).status()).isEqualTo(200);
  }

  private Received next() {
    try {
      Received next = received.poll(60, TimeUnit.SECONDS);
      assertThat(next).isNotNull();
      return next;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static JsonObject payload(Received request) {
    try {
      return Json.parseObject(request.body());
    } catch (JsonFault e) {
      throw new AssertionError(e);
    }
  }

  private static String sender(String limits) {
    return service
        .owner()
        .post(
            "/api/passports",
            Calls.json(
                "{'name': 'Sender', 'capabilities': [{'id': 'messaging.send'}],"
                    + " 'limits': {'messaging.send': {'channels_allowlist': ['team'],"
                    + limits
                    + "}}}"))
        .string("agent_id");
  }

  private static Reply ask(String agent) {
    return service
        .owner()
        .post(
            Questions.MESSAGE,
            Calls.json(
                "{'context': {'agent_id': '"
                    + agent
                    + "', 'channel_id': 'team', 'message': 'Pay bob@example.com',"
                    + " 'message_type': 'text'}}"));
  }

  @Test
  void tellsOfHaltsOfAllOrganizations() {
    String webhook = subscribe("json", "organization.halted");
    Reply halted =
        service.admin().post("/api/admin/halt", Calls.json("{'reason': 'a stolen key'}"));
    assertThat(halted.status()).as(halted.toString()).isEqualTo(200);
    JsonObject told = payload(next());
    assertThat(service.admin().post("/api/admin/resume", "{}").status()).isEqualTo(200);
    JsonObject resumed = payload(next());
    delete(webhook);

    assertThat(told.string("event_type")).contains("organization.halted");
    assertThat(told.string("state")).contains("halted");
    assertThat(told.string("reason")).contains("a stolen key");
    assertThat(told.string("url").orElseThrow()).endsWith("/console/halt");
    assertThat(resumed.string("state")).contains("resumed");
    assertThat(resumed.get("reason")).isNull();
  }

  /** "Resumed" would be untrue while another halt stops the same agents. */
  @Test
  void tellsOfTheEndOfTheLastHaltOnly() {
    String webhook = subscribe("json", "organization.halted");
    String own = "/api/orgs/" + service.org() + "/";
    var told = new ArrayList<String>();
    for (String path : List.of("/api/admin/halt", own + "halt")) {
      told.add(stateAfter(path, "{'reason': 'a drill'}"));
    }
    Calls owner = service.member(service.org(), "halts@example.com", "owner");
    assertThat(owner.post(own + "halt", Calls.json("{'reason': 'ours'}")).status()).isEqualTo(200);
    told.add(payload(next()).string("state").orElseThrow());
    changed(own + "resume", "{}");
    changed("/api/admin/resume", "{}");
    told.add(stateAfter("/api/admin/halt", "{'reason': 'once more'}"));
    changed(own + "resume", "{'own': true}");
    told.add(stateAfter("/api/admin/resume", "{}"));
    delete(webhook);

    assertThat(told).containsExactly("halted", "halted", "halted", "halted", "resumed");
    assertThat(received).isEmpty();
  }

  private String stateAfter(String path, String body) {
    changed(path, body);
    return payload(next()).string("state").orElseThrow();
  }

  private static void changed(String path, String body) {
    Reply reply = service.admin().post(path, Calls.json(body));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.json().isTrue("changed")).as(path).isTrue();
  }

  @Test
  void anApprovalIsToldWhenItIsRequestedAndWhenItIsDecided() {
    String webhook = subscribe("json", "approval.requested", "approval.decided");
    String agent = sender("'msgs_per_min': 9, 'msgs_per_day': 9, 'approval_required': true");

    String approval =
        ask(agent).json().object("approval").orElseThrow().string("approval_id").orElseThrow();

    Received requested = next();
    JsonObject told = payload(requested);
    assertThat(requested.header("x-webhook-event")).isEqualTo("approval.requested");
    assertThat(requested.header("x-webhook-attempt")).isEqualTo("1");
    assertThat(requested.header("x-webhook-signature")).startsWith("sha256=");
    assertThat(told.string("agent_id")).contains(agent);
    assertThat(told.string("approval_id")).contains(approval);
    assertThat(told.string("url").orElseThrow()).endsWith("/console/approvals/" + approval);
    assertThat(Json.text(told)).doesNotContain("bob");

    if (person.get("/api/auth/me").status() != 200) { // the clock of another test went on
      person = service.signedIn(TestService.OPERATOR);
    }
    assertThat(person.post("/api/approvals/" + approval + "/refuse", "{}").status()).isEqualTo(200);
    JsonObject decided = payload(next());
    assertThat(decided.string("event_type")).contains("approval.decided");
    assertThat(decided.string("status")).contains("refused");
    assertThat(decided.string("decided_by").orElseThrow()).startsWith("account:");
    delete(webhook);
  }

  @Test
  void aFailedEventIsTriedAgainForADayAndCanThenBeSentAgain() {
    String webhook = subscribe("json", "approval.requested");
    String deliveries = "/api/webhooks/" + webhook + "/deliveries?status=";
    answer = "HTTP/1.1 500 X\r\n\r\n";
    ask(sender("'msgs_per_min': 9, 'msgs_per_day': 9, 'approval_required': true"));
    String event = next().header("x-webhook-id");

    JsonObject waiting = await(deliveries + "waiting", 1);
    assertThat(
            service
                .owner()
                .post(
                    "/api/webhooks/deliveries/"
                        + waiting.string("delivery_id").orElseThrow()
                        + "/redeliver",
                    "")
                .status())
        .isEqualTo(409);
    clock.advance(Duration.ofSeconds(10));
    Received again = next();
    assertThat(again.header("x-webhook-id")).isEqualTo(event);
    assertThat(again.header("x-webhook-attempt")).isEqualTo("2");
    await(deliveries + "waiting", 2);
    clock.advance(Duration.ofDays(1));
    assertThat(next().header("x-webhook-attempt")).isEqualTo("3");
    JsonObject dead = await(deliveries + "dead", 3);
    assertThat(dead.string("event_type")).contains("approval.requested");

    answer = "HTTP/1.1 204 X\r\n\r\n";
    String redeliver = "/api/webhooks/" + webhook + "/redeliver";
    Reply none =
        service.owner().post(redeliver, Calls.json("{'since': '" + clock.instant() + "'}"));
    assertThat(Questions.number(none.json(), "delivered")).isZero();
    assertThat(service.owner().post(redeliver, Calls.json("{'since': 'today'}")).status())
        .isEqualTo(400);
    assertThat(received).isEmpty();
    Reply all =
        service
            .owner()
            .post(
                redeliver,
                Calls.json("{'since': '" + clock.instant().minus(Duration.ofDays(2)) + "'}"));
    assertThat(all.json().isTrue("ok")).isTrue();
    assertThat(next().header("x-webhook-id")).isEqualTo(event);
    delete(webhook);
  }

  /** Waits until the first delivery of the list has had that many attempts. */
  private static JsonObject await(String list, int attempts) {
    for (int i = 0; i < 100_000; i++) {
      List<JsonObject> found = WebhookRig.objects(service.owner().get(list), "deliveries");
      if (!found.isEmpty() && Questions.number(found.getFirst(), "attempts") == attempts) {
        return found.getFirst();
      }
    }
    throw new AssertionError("no delivery with " + attempts + " attempts in " + list);
  }

  /** Denials are counted in windows that begin every five minutes; most looks are later in one. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void denialsLimitsAndKeysAreToldOnceEach(int minutes) {
    clock.advance(Duration.ofMinutes(minutes));
    String webhook = subscribe("json", "deny.spike", "limit.near", "key.expiring");
    Questions.newKey(
        service,
        service.org(),
        "{'name': 'Old', 'scopes': ['read'], 'expires_at': '"
            + clock.instant().plus(Duration.ofDays(6))
            + "'}");
    String agent = sender("'msgs_per_min': 100, 'msgs_per_day': 5");

    JsonObject expiring = payload(next()); // the subscription is known from now on
    assertThat(expiring.string("event_type")).contains("key.expiring");
    assertThat(expiring.string("name")).contains("Old");
    for (int i = 0; i < 8; i++) {
      assertThat(ask(agent).json().isTrue("allow")).isEqualTo(i < 5);
    }
    var told = new HashSet<String>();
    while (told.size() < 2) {
      JsonObject event = payload(next());
      assertThat(event.string("agent_id")).contains(agent);
      String type = event.string("event_type").orElseThrow();
      assertThat(told.add(type)).as(event.toString()).isTrue();
      if (type.equals("limit.near")) {
        assertThat(Questions.number(event, "percent")).isEqualTo(100);
        assertThat(Questions.number(event, "used")).isEqualTo(5);
        assertThat(Questions.number(event, "max")).isEqualTo(5);
        assertThat(event.string("limit").orElseThrow()).isNotEmpty();
      } else {
        assertThat(Questions.number(event, "denials")).isEqualTo(3);
      }
    }
    assertThat(told).isEqualTo(Set.of("deny.spike", "limit.near"));
    delete(webhook);
  }

  @Test
  void aTestSendsOneSampleInTheWebhooksFormat() {
    String webhook = subscribe("slack", "approval.requested");
    String path = "/api/webhooks/" + webhook + "/test";

    Reply sent = service.owner().post(path, "");
    assertThat(sent.status()).as(sent.toString()).isEqualTo(200);
    assertThat(sent.json().isTrue("ok")).isTrue();
    assertThat(payload(next()).names()).containsExactly("text", "blocks");
    answer = "HTTP/1.1 500 X\r\n\r\n";
    Reply failed = service.owner().post(path, Calls.json("{'event': 'limit.near'}"));
    assertThat(failed.json().isTrue("ok")).isFalse();
    assertThat(failed.string("failure_reason")).contains("500");
    assertThat(next().header("x-webhook-event")).isEqualTo("limit.near");
    assertThat(service.owner().post(path, Calls.json("{'event': 'x'}")).status()).isEqualTo(400);
    assertThat(
            WebhookRig.objects(
                service.owner().get(path.replace("/test", "/deliveries")), "deliveries"))
        .isEmpty();
    var other = Questions.Tenant.made(service, "Other", "'manage_webhooks', 'read'");
    assertThat(service.withKey(other.key()).post(path, "").status()).isEqualTo(404);
    Reply last = service.owner().post(path, "");
    for (int i = 0; i < 20 && last.status() == 200; i++) {
      last = service.owner().post(path, "");
    }
    assertThat(last.status()).isEqualTo(429);
    assertThat(last.text()).contains("Too many tests of webhooks.");
    delete(webhook);
  }
}
