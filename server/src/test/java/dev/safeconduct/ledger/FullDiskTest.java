package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.db.PostgresUrl;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.ServerProcess;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nothing can be written: the node says so until something has been written. */
@Timeout(60)
@Tag("attack")
final class FullDiskTest {
  private static final int LOOKS = 40;

  /** The disk is full for a process whose files may not grow. */
  @Test
  void sqlite(@TempDir Path folder) throws Exception {
    var process =
        new ServerProcess(
            folder, Map.of("JAVA_TOOL_OPTIONS", "-Dlogback.configurationFile=logback.xml"));
    try (process;
        var client = HttpClient.newHttpClient()) {
      process.awaitAnswering();
      Calls admin = process.admin(client);
      Calls nobody = process.nobody(client);
      await(() -> nobody.get("/readyz").status() == 200);
      process.limitFiles("1");
      // Idle: the process notices by itself, as it writes that it is alive.
      await(() -> nobody.get("/readyz").status() == 503);
      for (int i = 0; i < LOOKS; i++) {
        assertThat(nobody.get("/readyz").status()).isEqualTo(503);
        assertThat(admin.post("/api/orgs", "{\"name\": \"Org\"}").status()).isEqualTo(503);
        LockSupport.parkNanos(20_000_000);
      }
      process.limitFiles("unlimited");
      await(() -> nobody.get("/readyz").status() == 200);
      assertThat(admin.post("/api/orgs", "{\"name\": \"Org\"}").status()).isEqualTo(201);
      process.terminate();
      assertThat(process.exitStatus()).isEqualTo(143);
      List<String> said = process.said();
      assertThat(said).filteredOn(line -> line.contains(" ERROR ")).hasSize(1);
      assertThat(said).filteredOn(line -> line.contains("works again after")).hasSize(1);
      assertThat(said).noneMatch(line -> line.startsWith("\tat ") || line.contains(" WARN "));
    }
  }

  @Test
  void postgres() throws Exception {
    String url = PostgresServer.shared().freshDatabase();
    try (var log = new LogLines();
        Storage store = Storage.open(StoreConfig.postgres(url));
        Connection outside =
            DriverManager.getConnection(PostgresUrl.parse(url).jdbc().getFirst(), "postgres", "x");
        Statement statement = outside.createStatement()) {
      statement.execute(
          """
          CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN RAISE EXCEPTION ''could not extend file'' USING ERRCODE = ''53100''; END';
          CREATE TRIGGER full_disk BEFORE INSERT ON audit EXECUTE FUNCTION full_disk()
          """);
      for (int i = 0; i < LOOKS; i++) {
        assertThatThrownBy(() -> new Ledger(store).commit(Fixtures.entry(Long.MAX_VALUE)))
            .isInstanceOf(ProblemException.class);
        assertThat(store.healthy()).isFalse();
        LockSupport.parkNanos(20_000_000);
      }
      statement.execute("DROP TRIGGER full_disk ON audit");
      await(store::healthy);
      assertThat(new Ledger(store).commit(Fixtures.entry(Long.MAX_VALUE)))
          .isEqualTo(new Commit.Recorded(0));
      assertThat(log.of("The database")).hasSize(2);
    }
  }
}
