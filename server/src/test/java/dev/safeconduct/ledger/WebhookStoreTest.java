package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.AGENT;
import static dev.safeconduct.ledger.Fixtures.NOW;
import static dev.safeconduct.ledger.Fixtures.ORG;
import static dev.safeconduct.ledger.Fixtures.OTHER;
import static dev.safeconduct.ledger.Fixtures.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.webhook.Webhook;
import dev.safeconduct.webhook.Webhooks;
import dev.safeconduct.webhook.delivery.Deliveries;
import dev.safeconduct.webhook.delivery.Delivery;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.WebhookEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What {@code Webhooks} and {@code Deliveries} promise, on either database. */
final class WebhookStoreTest extends StoreContract {
  private static final Tenant MINE = new Tenant.One(ORG);
  private static final Tenant EVERYONE = new Tenant.Everyone();
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Webhook webhook(String id, OrgId org, Optional<AgentId> agent) {
    return webhook(id, org, agent, 1, true);
  }

  private static Webhook webhook(
      String id, OrgId org, Optional<AgentId> agent, long revision, boolean active) {
    return new Webhook(
        id,
        org,
        ReceiverUrl.parse("https://hooks.example.com/" + id + "?a=1").orElseThrow(),
        agent,
        List.of("status_change", "something \"else\""),
        Format.SLACK,
        active,
        Optional.of(2),
        Optional.empty(),
        Optional.of(Duration.ofMillis(250)),
        new byte[] {1, 0, -1},
        Optional.of(NOW.plus(MINUTE)),
        revision,
        NOW,
        NOW.plusMillis(revision));
  }

  private void add(Webhook webhook) {
    new Webhooks(store()).create(webhook, change(RecordKind.WEBHOOK_CHANGED));
  }

  private List<String> ids(Webhooks.Filter filter) {
    return new Webhooks(store())
        .list(ORG, filter, Optional.empty(), 99).stream().map(Webhook::id).toList();
  }

  private int records() {
    return new AuditLog(store().reads()).list(EVERYONE, AuditFilter.ALL, Long.MAX_VALUE, 99).size();
  }

  @Test
  void isNotAddedToAnOrganizationThatIsDeleted() {
    boolean _ =
        store().change(connection -> MutationResult.none(Organizations.delete(connection, ORG)));
    assertThatThrownBy(() -> add(webhook("wh_late", ORG, Optional.empty())))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("No organization");
    assertThat(ids(Webhooks.Filter.ALL)).isEmpty();
  }

  @Test
  void keepsAWebhookAsItIs() {
    Webhook one = webhook("wh_1", ORG, Optional.of(AGENT));
    add(one);
    reopen();
    Webhook found = new Webhooks(store()).find(MINE, "wh_1").orElseThrow();
    assertThat(found).usingRecursiveComparison().ignoringFields("url").isEqualTo(one);
    assertThat(found.url().text()).isEqualTo(one.url().text());
    assertThat(records()).isEqualTo(1);
  }

  @Test
  void showsATenantOnlyItsOwn() {
    add(webhook("wh_1", ORG, Optional.empty()));
    add(webhook("wh_2", OTHER, Optional.empty()));
    assertThat(new Webhooks(store()).find(MINE, "wh_2")).isEmpty();
    assertThat(new Webhooks(store()).find(EVERYONE, "wh_2")).isPresent();
    assertThat(ids(Webhooks.Filter.ALL)).containsExactly("wh_1");
    assertThat(new Webhooks(store()).list(ORG, Webhooks.Filter.ALL, Optional.of("wh_2"), 9))
        .isEmpty();
    assertThat(new Webhooks(store()).delete(ORG, "wh_2", change(RecordKind.WEBHOOK_CHANGED)))
        .isFalse();
    assertThat(new Webhooks(store()).find(EVERYONE, "wh_2")).isPresent();
    assertThat(records()).isEqualTo(2);
  }

  @Test
  void findsThoseThatWantToHearOfAnAgent() {
    AgentId another = new AgentId("ap_other");
    add(webhook("wh_1", ORG, Optional.of(AGENT)));
    add(webhook("wh_2", ORG, Optional.empty()));
    add(webhook("wh_3", ORG, Optional.of(another)));
    add(webhook("wh_4", OTHER, Optional.empty()));
    add(webhook("wh_5", ORG, Optional.of(AGENT), 1, false));
    assertThat(new Webhooks(store()).wanting(ORG, AGENT))
        .extracting(Webhook::id)
        .containsExactly("wh_1", "wh_2");
    assertThat(ids(new Webhooks.Filter(Optional.of(AGENT), false))).containsExactly("wh_5", "wh_1");
    assertThat(ids(new Webhooks.Filter(Optional.empty(), true))).containsExactly("wh_2");
  }

  @Test
  void replacesOnlyTheExpectedRevision() {
    add(webhook("wh_1", ORG, Optional.empty()));
    Webhook second = webhook("wh_1", ORG, Optional.empty(), 2, false);
    assertThat(new Webhooks(store()).replace(second, 1, change(RecordKind.WEBHOOK_CHANGED)))
        .isTrue();
    assertThat(new Webhooks(store()).replace(second, 1, change(RecordKind.WEBHOOK_CHANGED)))
        .isFalse();
    assertThat(new Webhooks(store()).find(MINE, "wh_1").orElseThrow().revision()).isEqualTo(2);
    assertThat(records()).isEqualTo(2);
    assertThat(new Webhooks(store()).delete(ORG, "wh_1", change(RecordKind.WEBHOOK_CHANGED)))
        .isTrue();
    assertThat(new Webhooks(store()).delete(ORG, "wh_1", change(RecordKind.WEBHOOK_CHANGED)))
        .isFalse();
    assertThat(new Webhooks(store()).replace(second, 2, change(RecordKind.WEBHOOK_CHANGED)))
        .isFalse();
  }

  @Test
  void refusesTooManyForOneTargetAndWritesNothing() {
    for (int i = 0; i < Webhook.MOST_PER_TARGET; i++) {
      add(webhook("wh_a" + i, ORG, Optional.of(AGENT)));
      add(webhook("wh_o" + i, ORG, Optional.empty()));
    }
    add(webhook("wh_else", ORG, Optional.of(new AgentId("ap_other"))));
    int before = records();
    for (Optional<AgentId> full : List.of(Optional.of(AGENT), Optional.<AgentId>empty())) {
      assertThatThrownBy(() -> add(webhook("wh_more", ORG, full)))
          .isInstanceOf(ProblemException.class);
      assertThatThrownBy(() ->
              new Webhooks(store())
                  .replace(
                      webhook("wh_else", ORG, full, 2, true),
                      1,
                      change(RecordKind.WEBHOOK_CHANGED)))
          .isInstanceOf(ProblemException.class);
    }
    assertThat(records()).isEqualTo(before);
    assertThat(new Webhooks(store()).find(MINE, "wh_else").orElseThrow().revision()).isEqualTo(1);
    assertThat(new Webhooks(store()).find(MINE, "wh_more")).isEmpty();
    // One that is there already may change as long as it stays where it is.
    assertThat(
            new Webhooks(store())
                .replace(
                    webhook("wh_a0", ORG, Optional.of(AGENT), 2, true),
                    1,
                    change(RecordKind.WEBHOOK_CHANGED)))
        .isTrue();
  }

  private static Delivery delivery(String id, String receiver, Optional<OrgId> owner, Instant at) {
    return new Delivery(
        id,
        receiver,
        owner,
        new WebhookEvent(
            "msg_" + id,
            JsonObject.builder()
                .put("z", 1)
                .put("a", "ü\"")
                .put("agent_id", AGENT.value())
                .build()),
        "https://hooks.example.com/",
        at,
        new Delivery.Progress(
            Delivery.State.SENDING, 0, Optional.empty(), Optional.empty(), Optional.empty(), at));
  }

  private static Delivery ended(Delivery begun, Delivery.State state) {
    return new Delivery(
        begun.id(),
        begun.receiver(),
        begun.owner(),
        begun.event(),
        "https://new.example.com/",
        begun.createdAt(),
        new Delivery.Progress(
            state,
            3,
            Optional.of(500),
            Optional.of(Duration.ofMillis(7)),
            Optional.of("It failed."),
            begun.createdAt().plus(MINUTE)));
  }

  @Test
  void keepsADeliveryFromItsBeginningToItsEnd() {
    Deliveries deliveries = new Deliveries(store());
    Delivery begun = delivery("dlv_1", "wh_1", Optional.of(ORG), NOW);
    deliveries.begin(List.of(begun), Instant.EPOCH);
    assertThat(deliveries.find(MINE, "dlv_1")).contains(begun);
    Delivery dead = ended(begun, Delivery.State.DEAD);
    deliveries.finish(dead);
    Delivery found = deliveries.find(MINE, "dlv_1").orElseThrow();
    assertThat(found).isEqualTo(dead);
    assertThat(Json.text(found.event().payload())).isEqualTo(Json.text(begun.event().payload()));
  }

  @Test
  void showsATenantNoDeliveriesOfOthersNorOfTheOperator() {
    Deliveries deliveries = new Deliveries(store());
    deliveries.begin(
        List.of(
            delivery("dlv_1", "wh_1", Optional.of(ORG), NOW),
            delivery("dlv_2", "wh_2", Optional.of(OTHER), NOW),
            delivery("dlv_3", "global", Optional.empty(), NOW)),
        Instant.EPOCH);
    for (String other : List.of("dlv_2", "dlv_3")) {
      assertThat(deliveries.find(MINE, other)).isEmpty();
      assertThat(deliveries.find(EVERYONE, other)).isPresent();
    }
    for (String receiver : List.of("wh_2", "global")) {
      assertThat(list(MINE, receiver, Optional.empty())).isEmpty();
      assertThat(deliveries.dead(MINE, receiver, far(), Instant.EPOCH, Optional.empty(), 9))
          .isEmpty();
      assertThat(deliveries.countDead(MINE, receiver, far(), Instant.EPOCH)).isZero();
      assertThat(list(EVERYONE, receiver, Optional.empty())).hasSize(1);
    }
  }

  private static Instant far() {
    return NOW.plus(Duration.ofDays(1));
  }

  private List<String> list(Tenant tenant, String receiver, Optional<Delivery.State> state) {
    return list(tenant, receiver, state, NOW);
  }

  private List<String> list(
      Tenant tenant, String receiver, Optional<Delivery.State> state, Instant abandonedBefore) {
    return new Deliveries(store())
        .list(tenant, receiver, state, abandonedBefore, Optional.empty(), 99).stream()
            .map(Delivery::id)
            .toList();
  }

  /** What was being sent when the process ended is dead after a while, and not lost. */
  @Test
  void whatNeverEndedIsDead() {
    Deliveries deliveries = new Deliveries(store());
    Delivery first = delivery("dlv_1", "wh_1", Optional.of(ORG), NOW);
    Delivery second = delivery("dlv_2", "wh_1", Optional.of(ORG), NOW.plusMillis(1));
    Delivery third = delivery("dlv_3", "wh_1", Optional.of(ORG), NOW.plusMillis(2));
    Delivery fourth = delivery("dlv_4", "wh_1", Optional.of(ORG), NOW.plusMillis(3));
    deliveries.begin(List.of(first, second, third, fourth), Instant.EPOCH);
    deliveries.finish(ended(second, Delivery.State.DEAD));
    deliveries.finish(ended(third, Delivery.State.DELIVERED));
    Instant until = NOW.plusMillis(2);
    assertThat(list(MINE, "wh_1", Optional.of(Delivery.State.DEAD), until))
        .containsExactly("dlv_2", "dlv_1");
    assertThat(list(MINE, "wh_1", Optional.of(Delivery.State.SENDING), until))
        .containsExactly("dlv_4");
    assertThat(list(MINE, "wh_1", Optional.of(Delivery.State.DELIVERED), until))
        .containsExactly("dlv_3");
    assertThat(list(MINE, "wh_1", Optional.empty(), until))
        .containsExactly("dlv_4", "dlv_3", "dlv_2", "dlv_1");
    List<Delivery> dead = deliveries.dead(MINE, "wh_1", until, Instant.EPOCH, Optional.empty(), 1);
    assertThat(dead).extracting(Delivery::id).containsExactly("dlv_1");
    assertThat(deliveries.dead(MINE, "wh_1", until, Instant.EPOCH, Optional.of("dlv_1"), 9))
        .extracting(Delivery::id)
        .containsExactly("dlv_2");
    assertThat(deliveries.countDead(MINE, "wh_1", until, Instant.EPOCH)).isEqualTo(2);
    assertThat(deliveries.countDead(MINE, "wh_1", until, dead.getFirst().createdAt().plusMillis(1)))
        .isEqualTo(1);
  }

  @Test
  void forgetsAllTheOldOnRequest() {
    var deliveries = new Deliveries(store());
    deliveries.begin(
        IntStream.range(0, 250)
            .mapToObj(i -> delivery("dlv_" + i, "wh_1", Optional.of(ORG), NOW))
            .toList(),
        Instant.EPOCH);
    deliveries.forget(NOW);
    assertThat(deliveries.find(EVERYONE, "dlv_0")).isPresent();

    deliveries.forget(NOW.plusMillis(1));
    assertThat(IntStream.range(0, 250))
        .allMatch(i -> deliveries.find(EVERYONE, "dlv_" + i).isEmpty());
  }

  @Test
  void forgetsTheOldMoreQuicklyThanItAdds() {
    Deliveries deliveries = new Deliveries(store());
    for (int i = 0; i < 150; i++) {
      deliveries.begin(
          List.of(delivery("dlv_old" + i, "wh_1", Optional.of(ORG), NOW)), Instant.EPOCH);
    }
    Instant later = NOW.plus(MINUTE);
    deliveries.begin(List.of(delivery("dlv_1", "wh_2", Optional.of(ORG), later)), later);
    assertThat(list(MINE, "wh_1", Optional.empty())).hasSize(50);
    deliveries.begin(List.of(delivery("dlv_2", "wh_2", Optional.of(ORG), later)), later);
    assertThat(list(MINE, "wh_1", Optional.empty())).isEmpty();
    assertThat(list(MINE, "wh_2", Optional.empty())).hasSize(2);
  }
}
