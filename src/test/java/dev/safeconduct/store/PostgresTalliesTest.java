package dev.safeconduct.store;

import dev.safeconduct.testkit.PostgresServer;

class PostgresTalliesTest extends TalliesContract {
  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }
}
