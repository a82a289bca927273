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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies all receivers of the status changes of one request concurrently and waits for the last.
 * The changes are already committed: a failed delivery is a dead letter and undoes no change.
 */
final class NotifyReceivers {
  private static final Logger LOG = LoggerFactory.getLogger(NotifyReceivers.class);

  /** The maximum number of deliveries to one receiver at a time. */
  private static final int AT_ONCE = 8;

  /** The deliveries recorded in one transaction: the writer must not be held up. */
  private static final int WRITTEN_AT_ONCE = 200;

  /** The maximum number of different failures in an answer. */
  private static final int SHOWN = 20;

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
  StatusReceivers.Delivery run(List<StatusChange> changes) {
    long deadline = ticker.nanos() + total.toNanos();
    try {
      Instant now = recorder.now();
      List<Notice> all = notices(changes, now);
      return all.isEmpty() ? StatusReceivers.Delivery.NONE : deliver(all, deadline);
    } catch (RuntimeException e) {
      LOG.error(
          "receivers of {} status changes were not notified, the first of {}",
          changes.size(),
          changes.getFirst().agent(),
          e);
      return new StatusReceivers.Delivery(
          false, 0, Optional.of("The receivers were not notified; see the service's log."));
    }
  }

  /** An event for one receiver. */
  private record Notice(Receiver receiver, Delivery delivery) {}

  private List<Notice> notices(List<StatusChange> changes, Instant now) {
    var all = new ArrayList<Notice>();
    for (StatusChange change : changes) {
      List<Receiver> wanting = receivers.of(change.owner(), change.agent(), now);
      if (!wanting.isEmpty()) {
        WebhookEvent event = event(change, now);
        for (Receiver receiver : wanting) {
          all.add(
              new Notice(
                  receiver, Delivery.begin("dlv_" + recorder.nextHex(), receiver, event, now)));
        }
      }
    }
    return all;
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

  private StatusReceivers.Delivery deliver(List<Notice> all, long deadline) {
    for (int i = 0; i < all.size(); i += WRITTEN_AT_ONCE) {
      log.begin(all.subList(i, end(all, i)).stream().map(Notice::delivery).toList());
    }
    return outcome(atOnce(all, deadline));
  }

  private static int end(List<?> all, int begin) {
    return Math.min(begin + WRITTEN_AT_ONCE, all.size());
  }

  /**
   * Each receiver has threads of its own, so that a slow one takes no time from the others. Each
   * result is recorded at once: a crash must not lose it while a slow receiver is waited for.
   */
  private List<DeliveryLog.Tried> atOnce(List<Notice> all, long deadline) {
    var tried = new AtomicReferenceArray<DeliveryLog.Tried>(all.size());
    var places = new LinkedHashMap<String, Queue<Integer>>();
    for (int i = 0; i < all.size(); i++) {
      places.computeIfAbsent(all.get(i).receiver().id(), _ -> new ConcurrentLinkedQueue<>()).add(i);
    }
    var threads = new ArrayList<Thread>();
    for (Queue<Integer> waiting : places.values()) {
      Runnable some =
          () -> {
            for (Integer place = waiting.poll(); place != null; place = waiting.poll()) {
              DeliveryLog.Tried result = tryOne(all.get(place), deadline);
              tried.set(place, result);
              log.finish(result);
            }
          };
      int most = Math.min(AT_ONCE, waiting.size());
      for (int i = 0; i < most; i++) {
        threads.add(Thread.ofVirtual().name("webhook-delivery").start(RequestSpan.carried(some)));
      }
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

  private DeliveryLog.Tried tryOne(Notice notice, long deadline) {
    return new DeliveryLog.Tried(
        notice.receiver(),
        notice.delivery(),
        deliver.run(notice.receiver(), notice.delivery().event(), deadline));
  }

  /**
   * Sent when all were delivered. Failed receivers are named if there is more than one delivery.
   */
  private static StatusReceivers.Delivery outcome(List<DeliveryLog.Tried> all) {
    var failures = new LinkedHashSet<String>();
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
        failures.isEmpty()
            ? Optional.empty()
            : Optional.of(
                failures.stream().limit(SHOWN).collect(Collectors.joining(" "))
                    + (failures.size() > SHOWN ? " And other failures; see the deliveries." : "")));
  }
}
