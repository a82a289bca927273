package dev.safeconduct.testkit;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.function.ThrowingSupplier;

/**
 * Limits of wall-clock time. A busy machine breaks them without a fault of ours, so only {@code
 * make test-timing} holds tests to them; it runs those with the tag {@code timing}, one at a time.
 * {@code make test} runs them too, and there only what seems to hang fails.
 */
public final class WallClock {
  private static final boolean STRICT = Boolean.getBoolean("safeconduct.timing");
  private static final Duration HANGS = Duration.ofMinutes(3);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private WallClock() {}

  /** Whether limits are held. */
  public static boolean isStrict() {
    return STRICT;
  }

  /** How long to wait for what has to happen within this time. */
  public static Duration limit(Duration limit) {
    return STRICT ? limit : HANGS;
  }

  /** Runs it, and fails when it does not end within this time. */
  public static <T> T within(Duration limit, ThrowingSupplier<T> body) {
    return Assertions.assertTimeoutPreemptively(limit(limit), body);
  }

  /** Runs it, and fails when this thread needs more processor time for it. */
  public static <T> T withinCpuTime(Duration limit, ThrowingSupplier<T> body) {
    return Assertions.assertTimeoutPreemptively(
        HANGS,
        () -> {
          long before = THREADS.getCurrentThreadCpuTime();
          T result = body.get();
          Duration needed = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - before);
          Assertions.assertTrue(
              needed.compareTo(limit(limit)) < 0, () -> needed + " of CPU time; at most " + limit);
          return result;
        });
  }
}
