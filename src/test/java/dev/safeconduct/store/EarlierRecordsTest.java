package dev.safeconduct.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.audit.tlog.Proofs;
import dev.safeconduct.audit.tlog.Tree;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.testkit.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store of a version that had no Merkle log yet is taken into one, every record of it. */
final class EarlierRecordsTest {
  private static final int RECORDS = 1_300;

  @TempDir Path folder;

  @Test
  void onSqlite() throws Exception {
    Files.createFile(folder.resolve("safeconduct.db"));
    String url = "jdbc:sqlite:" + folder.resolve("safeconduct.db");
    migrateAsBefore(url, "", "", "sqlite");
    try (Connection connection = DriverManager.getConnection(url)) {
      fill(connection);
    }
    isProved(StoreConfig.sqlite(folder));
  }

  @Test
  void onPostgres() throws Exception {
    String database = PostgresServer.shared().freshDatabase();
    PostgresUrl url = PostgresUrl.parse(database);
    String user = url.properties().getOrDefault("user", "");
    String password = url.properties().getOrDefault("password", "");
    migrateAsBefore(url.jdbc(), user, password, "postgresql");
    try (Connection connection = DriverManager.getConnection(url.jdbc(), user, password)) {
      fill(connection);
    }
    isProved(StoreConfig.postgres(database));
  }

  @Test
  void countsNoPageShowsAreForgotten() throws Exception {
    Files.createFile(folder.resolve("safeconduct.db"));
    String url = "jdbc:sqlite:" + folder.resolve("safeconduct.db");
    migrateTo("029", url, "", "", "sqlite");
    try (Connection connection = DriverManager.getConnection(url)) {
      count(connection);
      Store.open(StoreConfig.sqlite(folder)).close();
      countsAreLeft(connection);
    }
  }

  @Test
  void countsNoPageShowsAreForgottenOnPostgres() throws Exception {
    String database = PostgresServer.shared().freshDatabase();
    PostgresUrl url = PostgresUrl.parse(database);
    String user = url.properties().getOrDefault("user", "");
    String password = url.properties().getOrDefault("password", "");
    migrateTo("029", url.jdbc(), user, password, "postgresql");
    try (Connection connection = DriverManager.getConnection(url.jdbc(), user, password)) {
      count(connection);
      Store.open(StoreConfig.postgres(database)).close();
      countsAreLeft(connection);
    }
  }

  private static void count(Connection connection) throws SQLException {
    for (String kind : List.of("minute", "hour", "policy", "agent", "code")) {
      Sql.update(
          connection,
          "INSERT INTO tally (org, kind, bucket, name, allowed, denied) VALUES (?, ?, 0, '', 1, 0)",
          Fixtures.ORG.value(),
          kind);
    }
  }

  private static void countsAreLeft(Connection connection) throws SQLException {
    assertThat(
            Sql.list(
                connection,
                "SELECT kind FROM tally ORDER BY kind",
                row -> row.getString(1),
                List.of()))
        .containsExactly("agent", "code", "minute");
  }

  private static void migrateAsBefore(String url, String user, String password, String folder) {
    migrateTo("002", url, user, password, folder);
  }

  private static void migrateTo(
      String version, String url, String user, String password, String folder) {
    Flyway.configure()
        .dataSource(url, user, password)
        .locations("classpath:migrations/" + folder)
        .table("schema_history")
        .javaMigrations(new CommitEarlierRecords())
        .target(version)
        .load()
        .migrate();
  }

  private static void fill(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO audit (log_index, record_id, kind, org, at_ms, body, signature, details)"
                + " VALUES (?, ?, 'config', ?, ?, ?, ?, ?)")) {
      for (int i = 0; i < RECORDS; i++) {
        insert.setLong(1, i);
        insert.setBytes(2, AuditRows.bytes(UUID.randomUUID()));
        insert.setString(3, Fixtures.ORG.value());
        insert.setLong(4, Fixtures.NOW.toEpochMilli());
        insert.setBytes(5, ("{\"n\":" + i + "}").getBytes(StandardCharsets.UTF_8));
        insert.setBytes(6, new byte[0]);
        // Not in the canonical order, as earlier versions wrote it.
        insert.setBytes(
            7, "{\"caller\":\"admin\",\"address\":\"::1\"}".getBytes(StandardCharsets.UTF_8));
        insert.addBatch();
      }
      insert.executeBatch();
    }
    connection.commit();
  }

  private static void isProved(StoreConfig config) {
    try (Store store = Store.open(config)) {
      var tree = new Tree(store.merkleLog().nodes(), store.merkleLog().size());
      assertThat(tree.size()).isEqualTo(RECORDS);
      long before = Long.MAX_VALUE;
      for (int seen = 0; seen < RECORDS; ) {
        for (StoredRecord record :
            store.auditLog().list(new Tenant.Everyone(), AuditFilter.ALL, before, 200)) {
          assertThat(record.commitment().matches(record.entry())).isTrue();
          assertThat(new String(record.entry().details(), StandardCharsets.UTF_8))
              .isEqualTo("{\"address\":\"::1\",\"caller\":\"admin\"}");
          if (record.logIndex() % 100 == 0) {
            assertThat(
                    Proofs.includes(
                        record.commitment().leafHash(),
                        record.logIndex(),
                        RECORDS,
                        tree.inclusion(record.logIndex()),
                        tree.root()))
                .isTrue();
          }
          before = record.logIndex();
          seen++;
        }
      }
    }
  }
}
