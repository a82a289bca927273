package dev.safeconduct.webhook.delivery;

import java.time.Duration;

/**
 * The retries, delays and timeout of deliveries to a receiver.
 *
 * @param retries tries after the first one
 * @param delay the wait before the first retry; each later one doubles it
 * @param timeout for one try, from looking the name up to the answer's last byte
 */
public record RetryPolicy(int retries, Duration delay, Duration timeout) {
  public static final int MAX_RETRIES = 10;
  public static final Duration MAX_TIMEOUT = Duration.ofSeconds(60);

  /** No wait is longer, whatever the doubling or a {@code Retry-After} says. */
  public static final Duration MAX_WAIT = Duration.ofSeconds(30);

  /** The longest that all tries of all deliveries of one event may take. */
  public static final Duration MAX_TOTAL = Duration.ofMinutes(5);

  private static final double JITTER = 0.2;

  /** Returns the shorter of two times. */
  public static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /**
   * The wait before a retry.
   *
   * @param retry its number, from 1
   * @param chance 0 to 1: where in the 20 % below and above the wait falls
   */
  Duration backoff(int retry, double chance) {
    long doubled = delay.toMillis() << Math.min(retry - 1, MAX_RETRIES);
    long capped = Math.min(doubled, MAX_WAIT.toMillis());
    long jittered = Math.round((double) capped * (1 - JITTER + 2 * JITTER * chance));
    return Duration.ofMillis(Math.min(jittered, MAX_WAIT.toMillis()));
  }
}
