package dev.safeconduct.webhook;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The machine's own time. */
final class RealPace implements Pace {
  private final CountDownLatch stopped = new CountDownLatch(1);

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public boolean pause(Duration wait) {
    try {
      return !stopped.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void stop() {
    stopped.countDown();
  }
}
