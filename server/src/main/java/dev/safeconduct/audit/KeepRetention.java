package dev.safeconduct.audit;

import dev.safeconduct.config.Background;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Erases records older than their organization's retention, in small steps in the background.
 * Several nodes may run it at once.
 */
final class KeepRetention implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeepRetention.class);
  private static final Duration EVERY = Duration.ofSeconds(30);

  /** The pause between two steps, so that decisions are not delayed. */
  private static final Duration BREATH = Duration.ofMillis(20);

  private static final int AT_ONCE = 500;
  private static final Origin ORIGIN = new Origin(new Caller.Admin(), "", "retention");

  private final Erasures erasures;
  private final Recorder recorder;
  private final Background thread;
  private volatile boolean closing;

  KeepRetention(Erasures erasures, Recorder recorder) {
    this.erasures = erasures;
    this.recorder = recorder;
    this.thread = Background.named("retention", this::run);
  }

  void start() {
    thread.start();
  }

  /** Starts the next step at once, because a setting changed. */
  void wake() {
    thread.wake();
  }

  private void run() {
    while (!closing) {
      try {
        for (Retention retention : erasures.all()) {
          boolean more = retention.days().isPresent();
          while (more && !closing) {
            more = step(retention);
            if (more) {
              LockSupport.parkNanos(this, BREATH.toNanos());
            }
          }
        }
      } catch (RuntimeException e) {
        LOG.atLevel(StoreUnavailable.level(e))
            .log("old records could not be erased now: {}", e.getMessage());
      }
      if (!closing) {
        LockSupport.parkNanos(this, EVERY.toNanos());
      }
    }
  }

  private boolean step(Retention retention) {
    return erasures.step(
        retention.org(),
        recorder.now(),
        AT_ONCE,
        erased ->
            recorder.write(
                RecordKind.ERASURE,
                retention.org(),
                recorder.now(),
                ORIGIN,
                erased.told().put("cause", "retention").build()));
  }

  @Override
  public void close() {
    closing = true;
    thread.wake();
    thread.awaitEnd();
  }
}
