package dev.safeconduct.webhook;

import dev.safeconduct.audit.Recorder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes deliveries before they are made and after, and writes the dead letters. Telling matters
 * more than the note of it: a store that fails here is logged and nothing else.
 */
final class KeepDeliveries {
  /** How long deliveries are kept. */
  static final Duration KEPT = Duration.ofDays(30);

  private static final Logger LOG = LoggerFactory.getLogger(KeepDeliveries.class);

  private final Deliveries deliveries;
  private final DeadLetters deadLetters;
  private final Recorder recorder;

  KeepDeliveries(Deliveries deliveries, DeadLetters deadLetters, Recorder recorder) {
    this.deliveries = deliveries;
    this.deadLetters = deadLetters;
    this.recorder = recorder;
  }

  /** A delivery that was tried, and what came of it. */
  record Tried(Receiver receiver, Delivery delivery, Deliver.Result result) {}

  /** Notes what is about to be sent, so that the end of the process cannot lose it. */
  void begin(List<Delivery> all) {
    note(() -> deliveries.begin(all, recorder.now().minus(KEPT)));
  }

  /** Notes what came of them; answers the deliveries as they are now. */
  List<Delivery> finish(List<Tried> all) {
    Instant now = recorder.now();
    var finished = new ArrayList<Delivery>();
    for (Tried each : all) {
      ReceiverUrl url = each.receiver().url();
      if (!each.result().delivered()) {
        deadLetters.add(each.delivery().event(), url, each.result(), now);
      }
      finished.add(each.delivery().after(url, each.result(), now));
    }
    note(() -> deliveries.finish(finished));
    return finished;
  }

  private static void note(Runnable write) {
    try {
      write.run();
    } catch (RuntimeException e) {
      LOG.error("deliveries could not be noted", e);
    }
  }
}
