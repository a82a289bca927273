package dev.safeconduct.webhook;

import dev.safeconduct.config.Background;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.webhook.delivery.AttemptOutcome;
import dev.safeconduct.webhook.delivery.DeliverWithRetries;
import dev.safeconduct.webhook.delivery.Deliveries;
import dev.safeconduct.webhook.delivery.Delivery;
import dev.safeconduct.webhook.delivery.DeliveryLog;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import dev.safeconduct.webhook.delivery.WebhookClient;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the events that wait in the database, with retries for a day. A node claims a delivery
 * for one try, so that one node at a time sends it. Each webhook gets its deliveries one after the
 * other, an organization takes at most a few of the slots, and those whose last try failed share
 * some of them, so that endpoints that do not answer delay no others.
 */
final class EventSender {
  /** After this time a failed delivery is a dead letter. */
  static final Duration GIVEN_UP_AFTER = Duration.ofDays(1);

  private static final Logger LOG = LoggerFactory.getLogger(EventSender.class);
  private static final long LOOK_EVERY_MS = 1_000;
  private static final long FORGET_EVERY = 3_600;
  private static final Duration FIRST_WAIT = Duration.ofSeconds(10);
  private static final Duration LONGEST_WAIT = Duration.ofHours(1);

  /** Longer than a try takes: only after this time a node is known to have ended in it. */
  private static final Duration CLAIM = RetryPolicy.MAX_TIMEOUT.multipliedBy(2);

  private static final int MOST_AT_ONCE = 256;

  /** How many of those may be webhooks whose last try on this node failed. */
  private static final int MOST_FAILING = 32;

  private static final int MOST_OF_ORGANIZATION = 4;
  private static final int MOST_LOOKED_AT = 2_000;

  private final Receivers receivers;
  private final Webhooks webhooks;
  private final DeliveryLog log;
  private final Deliveries deliveries;
  private final WebhookClient client;
  private final Recorder recorder;
  private final Consumer<String> outcomes;
  private final Map<String, OrgId> busy = new ConcurrentHashMap<>();
  private final Set<String> failing = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Background thread = Background.named("event-sender", this::work);

  EventSender(
      Receivers receivers,
      Webhooks webhooks,
      DeliveryLog log,
      WebhookClient client,
      Recorder recorder,
      Consumer<String> outcomes) {
    this.receivers = receivers;
    this.webhooks = webhooks;
    this.log = log;
    this.deliveries = log.deliveries();
    this.client = client;
    this.recorder = recorder;
    this.outcomes = outcomes;
  }

  void start() {
    thread.start();
  }

  private void work() {
    try {
      for (long round = 0; !closed.await(LOOK_EVERY_MS, TimeUnit.MILLISECONDS); round++) {
        try {
          look();
          if (round % FORGET_EVERY == 0) {
            deliveries.forget(recorder.now().minus(DeliveryLog.KEPT));
          }
        } catch (RuntimeException e) {
          LOG.atLevel(StoreUnavailable.level(e))
              .log("events cannot be delivered now: {}", e.getMessage());
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Begins to deliver what is due. */
  private void look() {
    if (failing.size() > MOST_LOOKED_AT) {
      failing.clear(); // most were removed; those that still fail are added again
    }
    deliveries
        .due(recorder.now(), MOST_LOOKED_AT)
        .forEach((receiver, org) -> {
          if (busy.size() < MOST_AT_ONCE
              && (!failing.contains(receiver)
                  || busy.keySet().stream().filter(failing::contains).count() < MOST_FAILING)
              && Collections.frequency(busy.values(), org) < MOST_OF_ORGANIZATION
              && busy.putIfAbsent(receiver, org) == null) {
            Thread.ofVirtual().name("event-delivery").start(() -> deliverAll(receiver, org));
          }
        });
  }

  /** Delivers what is due for the webhook, until a try fails. */
  private void deliverAll(String receiver, OrgId org) {
    try {
      boolean delivered = true;
      while (delivered && closed.getCount() > 0) {
        Optional<Delivery> next = deliveries.due(org, receiver, recorder.now());
        delivered = next.isPresent() && deliver(next.get(), org);
        if (next.isPresent() && !delivered) {
          failing.add(receiver);
        } else if (delivered) {
          failing.remove(receiver);
        }
      }
    } catch (RuntimeException e) {
      LOG.atLevel(StoreUnavailable.level(e))
          .log("an event for {} waits: {}", receiver, e.getMessage());
    } finally {
      busy.remove(receiver);
    }
  }

  private boolean deliver(Delivery delivery, OrgId org) {
    Instant now = recorder.now();
    if (!deliveries.take(delivery, now, now.plus(CLAIM))) {
      return true; // another node has it
    }
    Optional<Webhook> webhook = webhooks.find(new Tenant.One(org), delivery.receiver());
    if (webhook.isEmpty()) {
      deliveries.drop(delivery);
      return true;
    }
    Receiver receiver = receivers.receiver(webhook.get(), now);
    AttemptOutcome outcome =
        webhook.get().active()
            ? client.send(
                receiver,
                delivery.event(),
                delivery.progress().attempts() + 1,
                receiver.policy().timeout())
            : new AttemptOutcome.Refused("The webhook is not active.", Duration.ZERO);
    var result =
        new DeliverWithRetries.Result(outcome instanceof AttemptOutcome.Refused ? 0 : 1, outcome);
    Instant after = recorder.now();
    Duration wait = wait(delivery.progress().attempts(), outcome);
    boolean again =
        !result.delivered()
            && outcome.isRetried()
            && after.plus(wait).isBefore(delivery.createdAt().plus(GIVEN_UP_AFTER));
    if (again) {
      deliveries.retry(delivery.waiting(receiver.url(), result, after), after.plus(wait));
    } else {
      outcomes.accept(result.delivered() ? "delivered" : "failed");
      log.finish(new DeliveryLog.Tried(receiver, delivery, result));
    }
    return result.delivered();
  }

  /** Doubles with each try; the receiver may ask for more, up to the longest. */
  private static Duration wait(int attempts, AttemptOutcome outcome) {
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(attempts, 10));
    Duration asked = outcome.retryAfter().orElse(Duration.ZERO);
    Duration longer = asked.compareTo(wait) > 0 ? asked : wait;
    return RetryPolicy.shorter(longer, LONGEST_WAIT);
  }

  /** Ends; what is being sent is sent again later if its result cannot be stored. */
  void close() {
    closed.countDown();
    thread.awaitEnd();
  }
}
