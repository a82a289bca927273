package dev.safeconduct.webhook;

import java.time.Duration;

/** Elapsed time, and waiting in it. */
public interface Pace {
  /** Nanoseconds from some fixed moment, as {@link System#nanoTime} has them. */
  long nanos();

  /** Waits; false when there is no use in waiting, because the service stops. */
  boolean pause(Duration wait);

  /** Ends all waits, now and later. */
  void stop();
}
