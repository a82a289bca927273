package dev.safeconduct.store;

import dev.safeconduct.testkit.PostgresServer;

class PostgresReservationsTest extends ReservationsContract {
  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(PostgresServer.shared().freshDatabase());
  }
}
