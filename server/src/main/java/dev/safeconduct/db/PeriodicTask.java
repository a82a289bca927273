package dev.safeconduct.db;

import dev.safeconduct.config.Background;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/**
 * Work on the database that a background thread repeats, the first time at once, until it is
 * closed. A step that fails is logged and repeated after the interval.
 */
public final class PeriodicTask implements AutoCloseable {
  private final Logger log;
  private final Duration every;
  private final BooleanSupplier step;
  private final String failure;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Background thread;

  /**
   * @param log where a failure is logged
   * @param name appears in thread dumps
   * @param step returns whether it is done for this interval; if not, it runs again at once
   * @param failure what could not be done when a step fails, for the log
   */
  public PeriodicTask(
      Logger log, String name, Duration every, BooleanSupplier step, String failure) {
    this.log = log;
    this.every = every;
    this.step = step;
    this.failure = failure;
    this.thread = Background.named(name, this::work);
  }

  public void start() {
    thread.start();
  }

  public boolean isClosing() {
    return closed.getCount() == 0;
  }

  private void work() {
    try {
      do {
        try {
          while (!isClosing() && !step.getAsBoolean()) {
            // There is more than one step takes.
          }
        } catch (RuntimeException e) {
          log.atLevel(StoreUnavailable.level(e)).log("{}: {}", failure, e.getMessage());
        }
      } while (!closed.await(every.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends after the current step. */
  @Override
  public void close() {
    closed.countDown();
    thread.awaitEnd();
  }
}
