package dev.safeconduct.webhook;

import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.passport.StatusChange;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.telemetry.RequestSpan;
import dev.safeconduct.webhook.delivery.DeliverWithRetries;
import dev.safeconduct.webhook.delivery.Delivery;
import dev.safeconduct.webhook.delivery.DeliveryLog;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.Ticker;
import dev.safeconduct.webhook.delivery.WebhookEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies all receivers of a status change concurrently and waits for the last. The change is
 * already committed: a failed delivery is a dead letter and does not undo the change.
 */
final class NotifyReceivers {
  private static final Logger LOG = LoggerFactory.getLogger(NotifyReceivers.class);

  private final Receivers receivers;
  private final DeliveryLog log;
  private final DeliverWithRetries deliver;
  private final Recorder recorder;
  private final Ticker ticker;
  private final Duration total;

  NotifyReceivers(
      Receivers receivers,
      DeliveryLog log,
      DeliverWithRetries deliver,
      Recorder recorder,
      Ticker ticker,
      Duration total) {
    this.receivers = receivers;
    this.log = log;
    this.deliver = deliver;
    this.recorder = recorder;
    this.ticker = ticker;
    this.total = total;
  }

  /** Does what {@link StatusReceivers#notifyOf} promises. */
  StatusReceivers.Delivery run(StatusChange change) {
    long deadline = ticker.nanos() + total.toNanos();
    try {
      Instant now = recorder.now();
      List<Receiver> all = receivers.of(change.owner(), change.agent(), now);
      if (all.isEmpty()) {
        return StatusReceivers.Delivery.NONE;
      }
      return deliver(all, event(change, now), now, deadline);
    } catch (RuntimeException e) {
      LOG.error("receivers of a status change of {} were not notified", change.agent(), e);
      return new StatusReceivers.Delivery(
          false, 0, Optional.of("The receivers were not notified; see the service's log."));
    }
  }

  private WebhookEvent event(StatusChange change, Instant now) {
    return WebhookEvent.statusChange(
        "msg_" + recorder.nextHex(),
        change.agent(),
        change.previous(),
        change.status(),
        change.updatedAt(),
        now);
  }

  private StatusReceivers.Delivery deliver(
      List<Receiver> all, WebhookEvent event, Instant now, long deadline) {
    List<Delivery> deliveries =
        all.stream()
            .map(receiver -> Delivery.begin("dlv_" + recorder.nextHex(), receiver, event, now))
            .toList();
    log.begin(deliveries);
    List<DeliveryLog.Tried> tried = atOnce(all, deliveries, deadline);
    log.finish(tried);
    return outcome(tried);
  }

  private List<DeliveryLog.Tried> atOnce(
      List<Receiver> all, List<Delivery> deliveries, long deadline) {
    var tried = new AtomicReferenceArray<DeliveryLog.Tried>(all.size());
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < all.size(); i++) {
      int place = i;
      Runnable one =
          () -> tried.set(place, tryOne(all.get(place), deliveries.get(place), deadline));
      threads.add(Thread.ofVirtual().name("webhook-delivery").start(RequestSpan.carried(one)));
    }
    awaitAll(threads);
    return IntStream.range(0, all.size()).mapToObj(tried::get).toList();
  }

  /** Waits for all threads. An interrupt aborts the deliveries, which are still recorded. */
  private static void awaitAll(List<Thread> threads) {
    boolean interrupted = false;
    for (Thread thread : threads) {
      for (boolean ended = false; !ended; ) {
        try {
          thread.join();
          ended = true;
        } catch (InterruptedException _) {
          interrupted = true;
          threads.forEach(Thread::interrupt);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private DeliveryLog.Tried tryOne(Receiver receiver, Delivery delivery, long deadline) {
    return new DeliveryLog.Tried(
        receiver, delivery, deliver.run(receiver, delivery.event(), deadline));
  }

  /** Sent when all were delivered. Failed receivers are named if there is more than one. */
  private static StatusReceivers.Delivery outcome(List<DeliveryLog.Tried> all) {
    var failures = new ArrayList<String>();
    int most = 0;
    for (DeliveryLog.Tried each : all) {
      most = Math.max(most, each.result().attempts());
      Optional<String> failure = each.result().last().failure();
      failure.ifPresent(
          why -> failures.add(all.size() == 1 ? why : each.receiver().id() + ": " + why));
    }
    return new StatusReceivers.Delivery(
        failures.isEmpty(),
        most,
        failures.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", failures)));
  }
}
