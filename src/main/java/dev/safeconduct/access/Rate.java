package dev.safeconduct.access;

import dev.safeconduct.problem.Problem;
import io.github.bucket4j.BucketConfiguration;
import java.time.Duration;

/**
 * How often something may be done.
 *
 * @param name of what is limited; keys of different names do not meet
 * @param times how often at once and within {@code per}; 0 for no limit
 */
public record Rate(String name, int times, Duration per) {
  /** What somebody is told of it who is over it. */
  Problem.RateLimited.Limit limit() {
    return new Problem.RateLimited.Limit(name, times, per.toSeconds());
  }

  /** A bucket that holds {@code times} and is filled evenly within {@code per}. */
  public BucketConfiguration bucket() {
    return BucketConfiguration.builder()
        .addLimit(limit -> limit.capacity(times).refillGreedy(times, per))
        .build();
  }
}
