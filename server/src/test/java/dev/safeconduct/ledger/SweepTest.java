package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Expired rows go away, live ones never. */
@Tag("slow")
final class SweepTest extends StoreContract {
  private static final CounterKey KEY = CounterKey.of("swept");

  @Test
  void deletesWhatExpiredAndNothingElse() {
    long now = NOW.toEpochMilli();
    for (int i = 0; i < 2_500; i++) {
      assertThat(
              new Ledger(store())
                  .commit(
                      Fixtures.taking(
                          CounterKey.of("many", "" + i % 7), 1, Long.MAX_VALUE, NOW, now + i)))
          .isInstanceOf(Commit.Recorded.class);
    }
    new Ledger(store()).commit(Fixtures.taking(KEY, 5, 0, NOW, now + 2_000));
    new Ledger(store())
        .commit(Fixtures.claiming(Fixtures.claim("old", 1, 1, NOW.plusMillis(9)), NOW));
    new Ledger(store())
        .commit(Fixtures.claiming(Fixtures.claim("new", 1, 1, NOW.plusMillis(2_000)), NOW));
    sweepAll(now + 1_000);
    assertThat(rows("SELECT count(*) FROM counter")).isEqualTo(2_500 - 1_001 + 1);
    assertThat(rows("SELECT count(*) FROM idempotency")).isEqualTo(1);
    assertThat(new Ledger(store()).totals(List.of(KEY), now).total(KEY)).isEqualTo(5);
    sweepAll(now + 5_000);
    assertThat(rows("SELECT count(*) FROM counter")).isZero();
  }

  /** Rows that stay too long stop nobody; nor do they fill the log. */
  @Test
  @Timeout(60)
  void whatCannotBeDeletedStopsNoDecision(@TempDir Path folder) {
    var fails = new AtomicBoolean(true);
    var calls = new AtomicInteger();
    Storage.Sweep sweep =
        (_, _) -> {
          calls.incrementAndGet();
          if (fails.get()) {
            throw new SQLException("no such table");
          }
        };
    try (var log = new LogLines();
        Storage store = Storage.open(another(folder), InstantSource.system(), List.of(sweep))) {
      while (calls.get() == 0) {
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(new Ledger(store).commit(Fixtures.entry(Long.MAX_VALUE)))
          .isEqualTo(new Commit.Recorded(0));
      fails.set(false);
      while (log.of("deleted again").isEmpty()) {
        assertThat(store.healthy()).isTrue();
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(log.of("")).hasSize(2);
    }
  }

  private void sweepAll(long horizonMs) {
    store().change(connection -> MutationResult.none(sweepAll(connection, horizonMs)));
  }

  private static boolean sweepAll(Connection connection, long horizonMs) throws SQLException {
    var sweeper = new Sweeper(connection, List.of());
    for (int step = 0; step < 4; step++) {
      sweeper.step(horizonMs);
    }
    return true;
  }

  private long rows(String count) {
    return store().reads().first(count, row -> row.getLong(1)).orElseThrow();
  }
}
