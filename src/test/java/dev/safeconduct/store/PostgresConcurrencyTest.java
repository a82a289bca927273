package dev.safeconduct.store;

import dev.safeconduct.testkit.PostgresServer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** With two nodes on one database. */
class PostgresConcurrencyTest extends ConcurrencyContract {
  private Optional<Store> second = Optional.empty();

  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }

  @BeforeEach
  void openSecond() {
    second = Optional.of(Store.open(config()));
  }

  @AfterEach
  void closeSecond() {
    second.orElseThrow().close();
  }

  @Override
  List<Store> nodes() {
    return List.of(store(), second.orElseThrow());
  }
}
