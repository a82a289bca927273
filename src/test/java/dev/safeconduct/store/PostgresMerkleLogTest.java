package dev.safeconduct.store;

import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.PostgresServer;
import org.junit.jupiter.api.Test;

/** Also with two nodes that append by turns. */
class PostgresMerkleLogTest extends MerkleLogContract {
  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }

  @Test
  void nodesThatTakeTurnsGrowOneTree() {
    try (Store other = Store.open(config())) {
      for (int round = 0; round < 6; round++) {
        append(round % 2 == 0 ? store() : other, 90);
        holds();
      }
      AtOnce.run(
          400,
          i ->
              LedgerContract.done(
                  (i % 2 == 0 ? store() : other).ledger().commit(Fixtures.entry(Long.MAX_VALUE))));
      holds();
    }
  }
}
