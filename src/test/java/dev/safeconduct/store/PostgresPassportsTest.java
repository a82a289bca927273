package dev.safeconduct.store;

import dev.safeconduct.testkit.PostgresServer;

class PostgresPassportsTest extends PassportsContract {
  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }
}
