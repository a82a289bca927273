package dev.safeconduct.webhook.delivery;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Elapsed time, and waiting in it. */
public interface Ticker {
  /** Nanoseconds from some fixed moment, as {@link System#nanoTime} has them. */
  long nanos();

  /** Waits; false when there is no use in waiting, because the service stops. */
  boolean pause(Duration wait);

  /** Ends all waits, now and later. */
  void stop();

  /** The machine's own time. */
  static Ticker system() {
    var stopped = new CountDownLatch(1);
    return new Ticker() {
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
    };
  }
}
