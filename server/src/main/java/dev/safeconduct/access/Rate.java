package dev.safeconduct.access;

import dev.safeconduct.error.Problem;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * A rate limit.
 *
 * @param name of the limited action; keys of different names are independent
 * @param times the number allowed at once and within {@code per}; 0 for no limit
 */
public record Rate(String name, int times, Duration per) {
  /** Returns the limit as responses state it. */
  Problem.RateLimited.Limit limit() {
    return new Problem.RateLimited.Limit(name, times, per.toSeconds());
  }

  /** Returns a bucket that holds {@code times} and is refilled evenly within {@code per}. */
  public BucketConfiguration bucket() {
    return BucketConfiguration.builder()
        .addLimit(limit -> limit.capacity(times).refillGreedy(times, per))
        .build();
  }

  static TimeMeter time(InstantSource clock) {
    return new TimeMeter() {
      @Override
      public long currentTimeNanos() {
        return TimeUnit.MILLISECONDS.toNanos(clock.millis());
      }

      @Override
      public boolean isWallClockBased() {
        return true;
      }
    };
  }
}
