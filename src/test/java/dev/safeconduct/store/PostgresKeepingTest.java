package dev.safeconduct.store;

import dev.safeconduct.testkit.PostgresServer;

class PostgresKeepingTest extends KeepingContract {
  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }
}
