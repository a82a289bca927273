package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static dev.safeconduct.ledger.Fixtures.ORG;
import static dev.safeconduct.ledger.Fixtures.OTHER;
import static dev.safeconduct.ledger.Fixtures.change;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.webhook.Webhook;
import dev.safeconduct.webhook.Webhooks;
import dev.safeconduct.webhook.delivery.Deliveries;
import dev.safeconduct.webhook.delivery.Delivery;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What {@code Events} and the outbox in {@code Deliveries} promise, on either database. */
final class EventStoreTest extends StoreContract {
  private static final AgentId AGENT = new AgentId("ap_" + "3".repeat(32));

  private final MovableClock clock = new MovableClock();
  private final Recorder recorder =
      new Recorder(new RecordIds(clock, new Random(7)::nextLong), clock);

  private Events events() {
    return new Events(store(), recorder, "https://safe.example");
  }

  private void subscribe(String id, OrgId org, Optional<AgentId> agent, boolean active) {
    new Webhooks(store())
        .create(
            new Webhook(
                id,
                org,
                ReceiverUrl.parse("https://hooks.example.com/" + id).orElseThrow(),
                agent,
                List.of("status_change", "deny.spike", "x\"limit.near\""),
                Format.JSON,
                active,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new byte[1],
                Optional.empty(),
                1,
                NOW,
                NOW),
            change(RecordKind.WEBHOOK_CHANGED));
  }

  private static Event spike(AgentId agent) {
    return new Event(
        EventType.DENY_SPIKE,
        ORG,
        Optional.of(agent),
        "/console",
        JsonObject.builder().put("denials", 3).build());
  }

  private Deliveries deliveries() {
    return new Deliveries(store());
  }

  @Test
  void writesADeliveryForEachSubscriberAndNobodyElse() {
    subscribe("wh_all", ORG, Optional.empty(), true);
    subscribe("wh_one", ORG, Optional.of(AGENT), true);
    subscribe("wh_another", ORG, Optional.of(new AgentId("ap_" + "4".repeat(32))), true);
    subscribe("wh_off", ORG, Optional.empty(), false);
    subscribe("wh_theirs", OTHER, Optional.empty(), true);

    events().publish(spike(AGENT));
    events().publish(Event.halt(ORG, Optional.of("nobody subscribes to it")));

    assertThat(events().subscribers(EventType.DENY_SPIKE)).containsExactlyInAnyOrder(ORG, OTHER);
    assertThat(events().subscribers(EventType.LIMIT_NEAR)).isEmpty();
    assertThat(deliveries().due(clock.instant(), 9).keySet())
        .containsExactlyInAnyOrder("wh_all", "wh_one");
    Delivery all = deliveries().due(ORG, "wh_all", clock.instant()).orElseThrow();
    Delivery one = deliveries().due(ORG, "wh_one", clock.instant()).orElseThrow();
    assertThat(all.event()).isEqualTo(one.event());
    assertThat(all.event().payload().string("url")).contains("https://safe.example/console");
    assertThat(all.progress().state()).isEqualTo(Delivery.State.WAITING);
    assertThat(deliveries().due(OTHER, "wh_all", clock.instant())).isEmpty();
  }

  /** An endpoint that is down for hours must not cost the others their events. */
  @Test
  void aWebhookThatIsStuckDropsItsOwnEventsOnly() {
    subscribe("wh_stuck", ORG, Optional.empty(), true);
    for (int i = 0; i <= Events.MOST_WAITING; i++) {
      events().publish(spike(AGENT));
    }
    subscribe("wh_good", ORG, Optional.empty(), true);
    events().publish(spike(AGENT));

    assertThat(waiting()).isEqualTo(Events.MOST_WAITING + 1);
    assertThat(deliveries().due(ORG, "wh_good", clock.instant())).isPresent();
  }

  @Test
  void oneNodeClaimsADeliveryForOneTry() {
    subscribe("wh_all", ORG, Optional.empty(), true);
    events().publish(spike(AGENT));
    Instant now = clock.instant();
    Delivery delivery = deliveries().due(ORG, "wh_all", now).orElseThrow();

    assertThat(new Deliveries(node(0)).take(delivery, now, now.plusSeconds(60))).isTrue();
    assertThat(new Deliveries(node(1)).take(delivery, now, now.plusSeconds(60))).isFalse();
    assertThat(deliveries().due(now, 9)).isEmpty();
    assertThat(deliveries().due(now.plusSeconds(60), 9)).containsOnlyKeys("wh_all");
    deliveries().retry(delivery, now.plusSeconds(90));
    assertThat(deliveries().due(now.plusSeconds(89), 9)).isEmpty();
    deliveries().finish(delivery);
    assertThat(deliveries().due(now.plusSeconds(999), 9)).isEmpty();
  }

  @Test
  void anEventOfANameIsPublishedOnceUntilItsTimeIsOver() {
    subscribe("wh_all", ORG, Optional.empty(), true);
    Instant until = clock.instant().plusSeconds(600);

    assertThat(events().publishOnce("a", until, spike(AGENT))).isTrue();
    assertThat(events().publishOnce("a", until, spike(AGENT))).isFalse();
    assertThat(events().publishOnce("b", until, spike(AGENT))).isTrue();
    clock.advance(Duration.ofMinutes(10));
    assertThat(events().publishOnce("a", until.plusSeconds(600), spike(AGENT))).isTrue();
    assertThat(waiting()).isEqualTo(3);
    store()
        .change(connection -> {
          Events.sweep(connection, until.toEpochMilli());
          return MutationResult.none(true);
        });
    assertThat(store().list("SELECT name FROM event_once", row -> row.getString("name")))
        .containsExactly("a");
  }

  @Test
  void anOrganizationHasABoundedNumberOfDeliveriesThatWait() {
    subscribe("wh_all", ORG, Optional.empty(), true);
    store()
        .change(connection -> {
          Events events = events();
          for (int i = 0; i < Events.MOST_WAITING + 5; i++) {
            events.insert(connection, spike(AGENT));
          }
          return MutationResult.none(true);
        });

    assertThat(waiting()).isEqualTo(Events.MOST_WAITING);
  }

  /** Each event counts them in its transaction. */
  @Test
  void waitingDeliveriesAreCountedByAnIndexAlone() {
    String index = " WHERE NAME = 'webhook_delivery_waiting'";
    String table =
        config() instanceof StoreConfig.Postgres
            ? "SELECT indexdef AS text FROM pg_indexes" + index.replace("NAME", "indexname")
            : "SELECT sql AS text FROM sqlite_master" + index.replace("NAME", "name");
    assertThat(store().list(table, row -> row.getString("text")))
        .singleElement()
        .asString()
        .contains("(org, receiver)");
  }

  private long waiting() {
    return store()
        .list(
            "SELECT id FROM webhook_delivery WHERE next_at IS NOT NULL", row -> row.getString("id"))
        .size();
  }
}
