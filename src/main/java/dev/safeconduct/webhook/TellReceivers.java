package dev.safeconduct.webhook;

import dev.safeconduct.audit.Recorder;
import dev.safeconduct.passport.StatusChange;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.trace.RequestSpan;
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
 * Tells all receivers of a status change at once and waits for the last of them. The change has
 * been committed: whatever goes wrong here is a dead letter, and the change stays.
 */
final class TellReceivers {
  private static final Logger LOG = LoggerFactory.getLogger(TellReceivers.class);

  private final Receivers receivers;
  private final KeepDeliveries keep;
  private final Deliver deliver;
  private final Recorder recorder;
  private final Pace pace;
  private final Duration total;

  TellReceivers(
      Receivers receivers,
      KeepDeliveries keep,
      Deliver deliver,
      Recorder recorder,
      Pace pace,
      Duration total) {
    this.receivers = receivers;
    this.keep = keep;
    this.deliver = deliver;
    this.recorder = recorder;
    this.pace = pace;
    this.total = total;
  }

  /** Does what {@link StatusReceivers#tell} promises. */
  StatusReceivers.Delivery run(StatusChange change) {
    long deadline = pace.nanos() + total.toNanos();
    try {
      Instant now = recorder.now();
      List<Receiver> all = receivers.of(change.owner(), change.agent(), now);
      if (all.isEmpty()) {
        return StatusReceivers.Delivery.NONE;
      }
      return tell(all, event(change, now), now, deadline);
    } catch (RuntimeException e) {
      LOG.error("receivers could not be told of a status change of {}", change.agent(), e);
      return new StatusReceivers.Delivery(
          false, 0, Optional.of("The receivers could not be told; see the service's log."));
    }
  }

  private StatusEvent event(StatusChange change, Instant now) {
    return StatusEvent.of(
        "msg_" + recorder.nextHex(),
        change.agent(),
        change.previous(),
        change.status(),
        change.updatedAt(),
        now);
  }

  private StatusReceivers.Delivery tell(
      List<Receiver> all, StatusEvent event, Instant now, long deadline) {
    List<Delivery> deliveries =
        all.stream()
            .map(receiver -> Delivery.begin("dlv_" + recorder.nextHex(), receiver, event, now))
            .toList();
    keep.begin(deliveries);
    List<KeepDeliveries.Tried> tried = atOnce(all, deliveries, deadline);
    keep.finish(tried);
    return outcome(tried);
  }

  private List<KeepDeliveries.Tried> atOnce(
      List<Receiver> all, List<Delivery> deliveries, long deadline) {
    var tried = new AtomicReferenceArray<KeepDeliveries.Tried>(all.size());
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

  /** An interrupt breaks the deliveries off; that they were is still to be noted. */
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

  private KeepDeliveries.Tried tryOne(Receiver receiver, Delivery delivery, long deadline) {
    return new KeepDeliveries.Tried(
        receiver, delivery, deliver.run(receiver, delivery.event(), deadline));
  }

  /** Sent when all have taken it; the receivers at fault are named by their ids. */
  private static StatusReceivers.Delivery outcome(List<KeepDeliveries.Tried> all) {
    var failures = new ArrayList<String>();
    int most = 0;
    for (KeepDeliveries.Tried each : all) {
      most = Math.max(most, each.result().attempts());
      Optional<String> failure = each.result().last().failure();
      failure.ifPresent(why -> failures.add(each.receiver().id() + ": " + why));
    }
    return new StatusReceivers.Delivery(
        failures.isEmpty(),
        most,
        failures.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", failures)));
  }
}
