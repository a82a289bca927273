package dev.safeconduct.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.error.Problem;
import dev.safeconduct.net.IpAddress;
import java.time.InstantSource;
import java.util.OptionalInt;

/**
 * Counts failed authentication per address, for IPv6 per /64, within a minute. The minute begins
 * with the first failure; the number of stored addresses is bounded.
 */
final class FailedAttempts {
  private static final long WINDOW_MS = 60_000;
  private static final int MAX_ADDRESSES = 50_000;

  private record Failures(long since, int count) {}

  private final int perMinute;
  private final InstantSource clock;
  private final Cache<String, Failures> failures =
      Caffeine.newBuilder().maximumSize(MAX_ADDRESSES).build();

  /**
   * @param perMinute the failures allowed per address in a minute; 0 for no limit
   */
  FailedAttempts(int perMinute, InstantSource clock) {
    this.perMinute = perMinute;
    this.clock = clock;
  }

  /** Returns the limit as responses state it. */
  Problem.RateLimited.Limit limit() {
    return new Problem.RateLimited.Limit("failed-auth", perMinute, WINDOW_MS / 1000);
  }

  void note(String address) {
    if (perMinute == 0) {
      return;
    }
    // The time is read within, so that those of concurrent failures are in order.
    failures
        .asMap()
        .compute(
            IpAddress.network(address),
            (_, old) -> {
              long now = clock.millis();
              return old == null || isOver(old, now)
                  ? new Failures(now, 1)
                  : new Failures(old.since(), old.count() + 1);
            });
  }

  /**
   * Returns the seconds until an address over the limit may try again; empty when it is not over.
   */
  OptionalInt waitSeconds(String address) {
    Failures found = failures.getIfPresent(IpAddress.network(address));
    long now = clock.millis();
    if (found == null || found.count() < perMinute || isOver(found, now)) {
      return OptionalInt.empty();
    }
    return OptionalInt.of((int) Math.ceilDiv(found.since() + WINDOW_MS - now, 1000L));
  }

  private static boolean isOver(Failures failures, long now) {
    return now >= failures.since() + WINDOW_MS || now < failures.since();
  }
}
