package dev.safeconduct.access;

import io.github.bucket4j.ConsumptionProbe;
import java.util.concurrent.TimeUnit;

/**
 * What came of taking some of what a {@link Rate} allows.
 *
 * @param granted whether there were enough left; else none was taken
 * @param left how many are left now
 * @param waitSeconds until there are enough again; 0 when it was granted
 * @param fullSeconds until all are there again
 */
public record Taken(boolean granted, long left, int waitSeconds, int fullSeconds) {
  private static final Taken UNLIMITED = new Taken(true, Long.MAX_VALUE, 0, 0);

  /** Where nothing is limited. */
  public static Taken unlimited() {
    return UNLIMITED;
  }

  /** What the bucket says. */
  public static Taken of(ConsumptionProbe probe) {
    return new Taken(
        probe.isConsumed(),
        probe.getRemainingTokens(),
        seconds(probe.getNanosToWaitForRefill()),
        seconds(probe.getNanosToWaitForReset()));
  }

  private static int seconds(long nanos) {
    return (int) Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1));
  }
}
