package dev.safeconduct.store;

import dev.safeconduct.testkit.PostgresServer;

class PostgresWebhooksTest extends WebhooksContract {
  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }
}
