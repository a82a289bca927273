package dev.safeconduct.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.InstantSource;

/**
 * Rate limits of this node alone. The number of keys is bounded; the least recently used go first.
 */
public final class LocalRateLimits implements RateLimits {
  private static final int MAX_KEYS = 100_000;

  private record Key(Rate rate, String who) {}

  private final TimeMeter time;
  private final Cache<Key, Bucket> buckets = Caffeine.newBuilder().maximumSize(MAX_KEYS).build();

  public LocalRateLimits(InstantSource clock) {
    this.time = Rate.time(clock);
  }

  @Override
  public RateLimitResult take(Rate rate, String key, int times) {
    return rate.times() == 0
        ? RateLimitResult.unlimited()
        : RateLimitResult.of(bucket(rate, key).tryConsumeAndReturnRemaining(times));
  }

  @Override
  public void giveBack(Rate rate, String key, int times) {
    if (rate.times() > 0) {
      bucket(rate, key).addTokens(times);
    }
  }

  private Bucket bucket(Rate rate, String key) {
    return buckets.get(new Key(rate, key), _ -> fresh(rate));
  }

  private Bucket fresh(Rate rate) {
    return Bucket.builder()
        .addLimit(rate.bucket().getBandwidths()[0])
        .withCustomTimePrecision(time)
        .build();
  }
}
