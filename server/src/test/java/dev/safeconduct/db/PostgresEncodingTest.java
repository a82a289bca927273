package dev.safeconduct.db;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PostgresEncodingTest {
  @Test
  void aNewDatabaseThatLacksCharactersIsRefused() throws SQLException {
    String fresh = PostgresServer.shared().freshDatabase();
    String name = fresh.substring(fresh.lastIndexOf('/') + 1) + "_latin1";
    try (Connection connection = EachStore.POSTGRES.connection(Map.of("DATABASE_URL", fresh));
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE DATABASE "
              + name
              + " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    }
    StoreConfig config = StoreConfig.postgres(fresh + "_latin1");
    assertThatThrownBy(() -> Database.open(config))
        .isInstanceOf(StoreFault.class)
        .hasMessageContaining("has the encoding LATIN1")
        .hasMessageContaining("ENCODING 'UTF8'");
  }
}
