package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.db.Sql;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clocks that jump, or differ between nodes. */
@Timeout(60)
@Tag("attack")
final class ClocksTest {
  private static final long HOUR = Duration.ofHours(1).toMillis();

  @Test
  void aHorizonFollowsTimeAndNoJump() {
    long start = 1_000 * HOUR;
    var horizon = new ExpiryHorizon(start, start);
    long later = Long.MAX_VALUE;
    for (int second = 0; second < 10; second++) {
      horizon.advance(1_000, start + 48 * HOUR);
    }
    assertThat(horizon.ms(later)).isEqualTo(start + 20_000 - ExpiryHorizon.MARGIN_MS);
    horizon.advance(1_000, start + 12_000); // the clock is right again
    assertThat(horizon.ms(later)).isEqualTo(start + 12_000 - ExpiryHorizon.MARGIN_MS);
    assertThat(horizon.ms(start)).isEqualTo(start - ExpiryHorizon.MARGIN_MS);
    assertThat(horizon.ms(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
    // A clock that is wrong at the start does not count for more than the last record.
    assertThat(new ExpiryHorizon(start, start + 48 * HOUR).ms(later))
        .isEqualTo(start - ExpiryHorizon.MARGIN_MS);
  }

  @Test
  void aJumpAheadForgetsNoCapAndNoIdempotencyKey(@TempDir Path folder) {
    var clock = new MovableClock();
    Instant now = clock.instant();
    CounterKey cap = CounterKey.of("a cap of the day");
    IdempotencyClaim claim = Fixtures.claim("k", 1, 1, now.plus(Duration.ofHours(24)));
    try (Storage store = Storage.open(StoreConfig.sqlite(folder), clock, List.of())) {
      var ledger = new Ledger(store);
      long midnight = now.toEpochMilli() + 12 * HOUR;
      ledger.commit(Fixtures.taking(cap, 20, 0, now, midnight));
      ledger.commit(Fixtures.claiming(claim, now));
      ledger.commit(
          Fixtures.taking(CounterKey.of("old"), 1, 0, now, now.toEpochMilli() - 2 * HOUR));
      clock.advance(Duration.ofDays(2));
      CounterKey other = CounterKey.of("of another agent");
      ledger.commit(
          Fixtures.taking(other, 1, 0, clock.instant(), clock.instant().toEpochMilli() + HOUR));
      // Rows are deleted meanwhile: one that has expired for both clocks is.
      await(() -> store.number(Sql.of("SELECT count(*) FROM counter")) == 2);
      clock.advance(Duration.ofDays(-2));
    }
    try (Storage store = Storage.open(StoreConfig.sqlite(folder), clock, List.of())) {
      var ledger = new Ledger(store);
      assertThat(ledger.totals(List.of(cap), now.toEpochMilli()).total(cap)).isEqualTo(20);
      assertThat(ledger.commit(Fixtures.claiming(claim, now))).isInstanceOf(Commit.Replayed.class);
    }
  }

  @Test
  void aNodeWhoseClockDiffersFromTheDatabasesRefusesDecisions() {
    var ahead = new AtomicReference<Duration>(Duration.ofMinutes(10));
    InstantSource clock = () -> Instant.now().plus(ahead.get());
    StoreConfig config = StoreConfig.postgres(PostgresServer.shared().freshDatabase());
    try (Storage store = Storage.open(config, clock, List.of())) {
      var ledger = new Ledger(store);
      for (Duration wrong : List.of(ahead.get(), Duration.ofMinutes(-10), Duration.ofSeconds(3))) {
        ahead.set(wrong);
        await(() -> !store.clockAgrees());
        assertThat(store.clockDifferenceMs())
            .isBetween(wrong.abs().toMillis() - 1_000, wrong.abs().toMillis() + 1_000);
        assertThatThrownBy(() -> ledger.commit(Fixtures.entry(Long.MAX_VALUE)))
            .isInstanceOf(ProblemException.class);
        // A suspension must be possible on any node.
        assertThat(store.update(Sql.of("UPDATE passport SET status = 'suspended'"))).isZero();
        ahead.set(Duration.ZERO);
        await(store::clockAgrees);
        assertThat(ledger.commit(Fixtures.entry(Long.MAX_VALUE)))
            .isInstanceOf(Commit.Recorded.class);
      }
    }
  }
}
