package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Expired rows go away, live ones never. */
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
