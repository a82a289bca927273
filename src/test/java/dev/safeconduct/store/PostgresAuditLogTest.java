package dev.safeconduct.store;

import dev.safeconduct.testkit.PostgresServer;

class PostgresAuditLogTest extends AuditLogContract {
  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }
}
