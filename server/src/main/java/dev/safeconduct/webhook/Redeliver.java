package dev.safeconduct.webhook;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.webhook.delivery.DeliverWithRetries;
import dev.safeconduct.webhook.delivery.Deliveries;
import dev.safeconduct.webhook.delivery.Delivery;
import dev.safeconduct.webhook.delivery.DeliveryLog;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Sends failed deliveries again on request: to the receiver's current URL, with the original event
 * and id.
 */
final class Redeliver {
  private static final int PAGE = 100;

  private final Receivers receivers;
  private final Webhooks webhooks;
  private final DeliveryLog log;
  private final Deliveries deliveries;
  private final DeliverWithRetries deliver;
  private final Recorder recorder;
  private final Ticker ticker;
  private final Duration total;

  Redeliver(
      Receivers receivers,
      Webhooks webhooks,
      DeliveryLog log,
      DeliverWithRetries deliver,
      Recorder recorder,
      Ticker ticker,
      Duration total) {
    this.receivers = receivers;
    this.webhooks = webhooks;
    this.log = log;
    this.deliveries = log.deliveries();
    this.deliver = deliver;
    this.recorder = recorder;
    this.ticker = ticker;
    this.total = total;
  }

  /**
   * The result of sending all dead letters again.
   *
   * @param failed the number of failed deliveries
   * @param remaining dead letters there are now, the failed ones included
   * @param error the last failure
   */
  record Summary(int delivered, int failed, long remaining, Optional<String> error) {}

  /**
   * A receiver's deliveries, newest first.
   *
   * @throws dev.safeconduct.error.ProblemException 404 for a webhook the caller cannot see
   */
  List<Delivery> list(
      Origin origin,
      String receiver,
      Optional<Delivery.State> state,
      Optional<String> after,
      int limit) {
    Tenant tenant = tenant(origin);
    demandKnown(tenant, receiver);
    Instant now = recorder.now();
    return deliveries
        .list(tenant, receiver, state, Delivery.abandonedBefore(now), after, limit)
        .stream()
        .map(delivery -> delivery.asOf(now))
        .toList();
  }

  /**
   * Sends one again, with retries.
   *
   * @throws dev.safeconduct.error.ProblemException 404 for a delivery the caller cannot see, 409
   *     while it is being sent or when its receiver is gone
   */
  Delivery one(Origin origin, String id) {
    Tenant tenant = tenant(origin);
    Instant now = recorder.now();
    Delivery delivery =
        deliveries.find(tenant, id).orElseThrow(() -> NotFoundProblems.delivery(id));
    Delivery.State state = delivery.asOf(now).progress().state();
    if (state == Delivery.State.WAITING) {
      throw ProblemException.conflict("This is tried again by itself.", "being_sent");
    }
    if (state == Delivery.State.SENDING) {
      throw beingSent();
    }
    Receiver receiver = receiver(tenant, delivery.receiver(), now);
    if (!deliveries.claim(delivery, now)) {
      throw beingSent();
    }
    long deadline = ticker.nanos() + total.toNanos();
    var tried =
        new DeliveryLog.Tried(
            receiver, delivery, deliver.run(receiver, delivery.event(), deadline));
    return log.finish(tried);
  }

  private static ProblemException beingSent() {
    return ProblemException.conflict("This is being sent at the moment.", "being_sent");
  }

  /**
   * Sends a receiver's dead letters again, oldest first and each once, until the time is up or the
   * receiver fails in a way that the next would share.
   *
   * @param since only those begun at that time or later
   * @throws dev.safeconduct.error.ProblemException 404 for a webhook the caller cannot see
   */
  Summary all(Origin origin, String receiverId, Instant since) {
    Tenant tenant = tenant(origin);
    demandKnown(tenant, receiverId);
    Instant now = recorder.now();
    Instant abandoned = Delivery.abandonedBefore(now);
    Receiver receiver = receiver(tenant, receiverId, now).triedOnce();
    long deadline = ticker.nanos() + total.toNanos();
    int delivered = 0;
    int failed = 0;
    Optional<String> error = Optional.empty();
    Optional<String> after = Optional.empty();
    boolean goOn = true;
    while (goOn) {
      List<Delivery> page = deliveries.dead(tenant, receiverId, abandoned, since, after, PAGE);
      goOn = page.size() == PAGE;
      for (Delivery delivery : page) {
        if (ticker.nanos() >= deadline) {
          goOn = false;
          break;
        }
        after = Optional.of(delivery.id());
        if (!deliveries.claim(delivery, recorder.now())) {
          continue; // another request sends it
        }
        DeliverWithRetries.Result result = deliver.run(receiver, delivery.event(), deadline);
        log.finish(new DeliveryLog.Tried(receiver, delivery, result));
        if (result.delivered()) {
          delivered++;
        } else {
          failed++;
          error = result.last().failure();
          if (!result.last().isAboutTheEventAlone()) {
            goOn = false;
            break;
          }
        }
      }
    }
    return new Summary(
        delivered, failed, deliveries.countDead(tenant, receiverId, abandoned, since), error);
  }

  private static Tenant tenant(Origin origin) {
    return ChangeWebhook.demandPermitted(origin).tenant();
  }

  /** The operator's receiver is known to the operator alone. */
  private void demandKnown(Tenant tenant, String receiver) {
    boolean known =
        receiver.equals(Receiver.GLOBAL)
            ? tenant instanceof Tenant.Everyone
            : webhooks.find(tenant, receiver).isPresent();
    if (!known) {
      throw NotFoundProblems.webhook(receiver);
    }
  }

  private Receiver receiver(Tenant tenant, String id, Instant now) {
    Optional<Receiver> receiver =
        id.equals(Receiver.GLOBAL)
            ? receivers.operators()
            : webhooks.find(tenant, id).map(webhook -> receivers.receiver(webhook, now));
    return receiver.orElseThrow(() ->
        ProblemException.conflict(
            id.equals(Receiver.GLOBAL)
                ? "The service has no receiver of its own; set WEBHOOK_URL."
                : "The webhook has been deleted.",
            "no_receiver"));
  }
}
