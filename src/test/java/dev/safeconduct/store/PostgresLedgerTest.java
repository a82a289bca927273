package dev.safeconduct.store;

import dev.safeconduct.testkit.PostgresServer;

class PostgresLedgerTest extends LedgerContract {
  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }
}
