package dev.safeconduct.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.zaxxer.hikari.HikariDataSource;
import dev.safeconduct.db.Availability;
import dev.safeconduct.db.Database;
import dev.safeconduct.db.PostgresDatabase;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.text.Sha256;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.jdbc.PrimaryKeyMapper;
import io.github.bucket4j.distributed.proxy.optimization.DelayParameters;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.postgresql.Bucket4jPostgreSQL;
import io.github.bucket4j.postgresql.PostgreSQLSelectForUpdateBasedProxyManager;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rate limits shared by all nodes through PostgreSQL. Small rates are counted in the database for
 * each request and are exact. A node takes tokens of a large rate in portions, so that few requests
 * wait for the database. All nodes together may exceed a large rate by one portion each. The table
 * holds hashes, no addresses or names.
 */
public final class SharedRateLimits implements RateLimits, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SharedRateLimits.class);
  private static final int CONNECTIONS = 2;
  private static final int MAX_KEYS = 50_000;

  /** Rates from this size are taken in portions of a hundredth, settled at least this often. */
  private static final int LARGE = 100;

  /** The number of takes after which that many full buckets are deleted. */
  private static final int SWEEP_EVERY = 1_000;

  private static final Duration SETTLED_EVERY = Duration.ofMillis(200);
  private static final Duration KEPT = Duration.ofMinutes(5);

  private record Key(Rate rate, String who) {}

  private final Availability availability;
  private final HikariDataSource connections;
  private final PostgreSQLSelectForUpdateBasedProxyManager<String> buckets;
  private final AtomicInteger taken = new AtomicInteger();
  private final Cache<Key, BucketProxy> open = Caffeine.newBuilder().maximumSize(MAX_KEYS).build();

  public SharedRateLimits(PostgresDatabase database, InstantSource clock) {
    availability = database.availability();
    connections = Database.pool(database.quickSource(), CONNECTIONS, "rate-limits", false);
    buckets =
        Bucket4jPostgreSQL.selectForUpdateBasedBuilder(connections)
            .primaryKeyMapper(PrimaryKeyMapper.STRING)
            .table("rate_bucket")
            .idColumn("id")
            .stateColumn("state")
            .expiresAtColumn("expires_at")
            .clientClock(Rate.time(clock))
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(KEPT))
            .build();
  }

  @Override
  public RateLimitResult take(Rate rate, String key, int times) {
    if (rate.times() == 0) {
      return RateLimitResult.unlimited();
    }
    return asked(() -> {
      if (taken.incrementAndGet() % SWEEP_EVERY == 0) {
        buckets.removeExpired(SWEEP_EVERY);
      }
      return RateLimitResult.of(bucket(rate, key).tryConsumeAndReturnRemaining(times));
    });
  }

  @Override
  public void giveBack(Rate rate, String key, int times) {
    if (rate.times() > 0) {
      asked(() -> {
        bucket(rate, key).addTokens(times);
        return true;
      });
    }
  }

  /** Fails without the database, as all other operations do. */
  private <T> T asked(Supplier<T> question) {
    if (!availability.stopsReads()) {
      try {
        return question.get();
      } catch (RuntimeException e) {
        LOG.debug("a rate limit cannot be counted", e);
      }
    }
    throw StoreUnavailable.failed().toException();
  }

  private BucketProxy bucket(Rate rate, String who) {
    return open.get(
        new Key(rate, who),
        key -> {
          var builder = buckets.builder();
          if (rate.times() >= LARGE) {
            builder =
                builder.withOptimization(
                    Optimizations.delaying(
                        new DelayParameters(rate.times() / LARGE, SETTLED_EVERY)));
          }
          return builder.build(id(key), rate::bucket);
        });
  }

  /** The rate is part of the key, so that changed settings use a new bucket. */
  private static String id(Key key) {
    return Sha256.hex((key.rate() + "\n" + key.who()).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    connections.close();
  }
}
