package dev.safeconduct.store;

import dev.safeconduct.testkit.PostgresServer;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;

class PostgresLogPartsTest extends LogPartsContract {
  private final String url = PostgresServer.shared().freshDatabase();

  @Override
  StoreConfig emptyStore() {
    return StoreConfig.postgres(url);
  }

  @Override
  Connection connection() throws Exception {
    URI at = URI.create(url);
    return DriverManager.getConnection(
        "jdbc:postgresql://" + at.getHost() + ":" + at.getPort() + at.getPath(), "postgres", "x");
  }
}
