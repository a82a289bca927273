package dev.safeconduct.webhook.delivery;

import dev.safeconduct.ledger.Recorder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records deliveries before and after the attempts, and writes dead letters. A delivery matters
 * more than its record, so a failure of the store is only logged.
 */
public final class DeliveryLog {
  /** How long deliveries are stored. */
  public static final Duration KEPT = Duration.ofDays(30);

  private static final Logger LOG = LoggerFactory.getLogger(DeliveryLog.class);

  private final Deliveries deliveries;
  private final DeadLetters deadLetters;
  private final Recorder recorder;

  /** {@code deadLetters} is the file for deliveries that failed. */
  public DeliveryLog(Deliveries deliveries, Path deadLetters, Recorder recorder) {
    this.deliveries = deliveries;
    this.deadLetters = new DeadLetters(deadLetters);
    this.recorder = recorder;
  }

  public Deliveries deliveries() {
    return deliveries;
  }

  /** A delivery and the result of its attempts. */
  public record Tried(Receiver receiver, Delivery delivery, DeliverWithRetries.Result result) {}

  /** Records deliveries before they are sent, so that a crash cannot lose them. */
  public void begin(List<Delivery> all) {
    record(() -> deliveries.begin(all, recorder.now().minus(KEPT)));
  }

  /** Records the result; returns the updated delivery. */
  public Delivery finish(Tried tried) {
    Instant now = recorder.now();
    ReceiverUrl url = tried.receiver().url();
    if (!tried.result().delivered()) {
      deadLetters.add(tried.delivery().event(), url, tried.result(), now);
    }
    Delivery finished = tried.delivery().after(url, tried.result(), now);
    record(() -> deliveries.finish(finished));
    return finished;
  }

  private static void record(Runnable write) {
    try {
      write.run();
    } catch (RuntimeException e) {
      LOG.error("deliveries could not be recorded", e);
    }
  }
}
