package dev.safeconduct.store;

import dev.safeconduct.testkit.PostgresServer;

class PostgresSweepTest extends SweepContract {
  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }
}
