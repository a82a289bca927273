package dev.safeconduct.access;

import io.github.bucket4j.ConsumptionProbe;
import java.util.concurrent.TimeUnit;

/**
 * The result of taking tokens from a {@link Rate}.
 *
 * @param granted whether enough tokens were left; otherwise none was taken
 * @param left the number of tokens left now
 * @param waitSeconds until enough tokens are left again; 0 when it was granted
 * @param fullSeconds until all tokens are available again
 */
public record RateLimitResult(boolean granted, long left, int waitSeconds, int fullSeconds) {
  private static final RateLimitResult UNLIMITED = new RateLimitResult(true, Long.MAX_VALUE, 0, 0);

  /** Returns the result where no limit applies. */
  static RateLimitResult unlimited() {
    return UNLIMITED;
  }

  /** Converts the bucket's result. */
  static RateLimitResult of(ConsumptionProbe probe) {
    return new RateLimitResult(
        probe.isConsumed(),
        probe.getRemainingTokens(),
        seconds(probe.getNanosToWaitForRefill()),
        seconds(probe.getNanosToWaitForReset()));
  }

  private static int seconds(long nanos) {
    return (int) Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1));
  }
}
