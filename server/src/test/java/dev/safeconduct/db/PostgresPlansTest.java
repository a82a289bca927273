package dev.safeconduct.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The plans of statements that are kept from when their table was small. */
final class PostgresPlansTest {
  /** After as many, PostgreSQL keeps a plan. */
  private static final int EXECUTIONS = 6;

  @Test
  void aTableThatGrowsIsReadByItsIndex() throws SQLException {
    try (var database =
        (PostgresDatabase)
            Database.open(StoreConfig.postgres(PostgresServer.shared().freshDatabase()))) {
      try (Connection setup = database.openWriter();
          Statement statement = setup.createStatement()) {
        statement.execute("CREATE TABLE grown (id bigint PRIMARY KEY, filling text)");
        statement.execute("INSERT INTO grown SELECT n, 'x' FROM generate_series(1, 100) AS n");
        statement.execute("ANALYZE grown");
        setup.commit();
      }
      try (Connection writer = database.openWriter();
          Connection reader = database.source().getConnection();
          Statement writing = writer.createStatement();
          Statement reading = reader.createStatement()) {
        for (Statement statement : List.of(writing, reading)) {
          statement.execute(
              "PREPARE look(bigint) AS SELECT filling FROM grown WHERE id IN (1, 2, $1)");
          for (int i = 0; i < EXECUTIONS; i++) {
            statement.execute("EXECUTE look(50)");
          }
        }
        writing.execute("INSERT INTO grown SELECT n, 'x' FROM generate_series(101, 50000) AS n");
        writer.commit();
        assertThat(plan(writing)).contains("grown_pkey").doesNotContain("Seq Scan");
        assertThat(plan(reading)).contains("grown_pkey").doesNotContain("Seq Scan");
      }
    }
  }

  private static String plan(Statement statement) throws SQLException {
    var lines = new ArrayList<String>();
    try (ResultSet row = statement.executeQuery("EXPLAIN EXECUTE look(50)")) {
      while (row.next()) {
        lines.add(row.getString(1));
      }
    }
    return String.join("\n", lines);
  }
}
