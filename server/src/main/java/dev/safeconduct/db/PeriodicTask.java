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
  private final int rest;
  private final String failure;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Background thread;

  /**
   * @param log where a failure is logged
   * @param name appears in thread dumps
   * @param step returns whether it is done for this interval; if not, it runs again
   * @param rest the pause before the next step, in multiples of the time that the last one took, so
   *     that work that is not urgent leaves the processors to others; 0 for none
   * @param failure what could not be done when a step fails, for the log
   */
  public PeriodicTask(
      Logger log, String name, Duration every, BooleanSupplier step, int rest, String failure) {
    this.log = log;
    this.every = every;
    this.step = step;
    this.rest = rest;
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
          long begun = System.nanoTime();
          while (!isClosing() && !step.getAsBoolean()) { // there is more than one step takes
            closed.await(rest * (System.nanoTime() - begun), TimeUnit.NANOSECONDS);
            begun = System.nanoTime();
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
