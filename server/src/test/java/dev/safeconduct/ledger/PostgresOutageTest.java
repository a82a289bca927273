package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.WallClock;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server goes away under load and comes back. */
class PostgresOutageTest {
  @Tag("timing")
  @Test
  @Timeout(120)
  void answersUnavailableLosesNothingAndComesBack() throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      StoreConfig config = StoreConfig.postgres(server.freshDatabase());
      try (Storage store = Storage.open(config)) {
        var load = new Load(store, 16);
        try (load) {
          load.awaitAcknowledged(500);
          server.crash();
          load.awaitRefused();
          assertThat(store.healthy()).isFalse();
          server.resume();
          load.awaitAcknowledged(500);
          assertThat(store.healthy()).isTrue();
        }
        assertThat(load.unexpected).isEmpty();
        List<StoredRecord> all =
            new AuditLog(store.reads())
                .list(new Tenant.Everyone(), AuditFilter.ALL, Long.MAX_VALUE, 10_000_000);
        assertThat(all).extracting(stored -> stored.entry().id()).containsAll(load.acknowledged);
        assertThat(all.reversed())
            .extracting(StoredRecord::logIndex)
            .containsExactlyElementsOf(LongStream.range(0, all.size()).boxed().toList());
        try (Storage other = Storage.open(config)) {
          var heard = new CountDownLatch(1);
          store.changes().listen(_ -> heard.countDown());
          StoreContract.addOrganizations(other);
          new ApiKeys(other).create(StoreContract.key("k"), Fixtures.decision());
          assertThat(
                  heard.await(
                      WallClock.limit(Duration.ofSeconds(1)).toMillis(), TimeUnit.MILLISECONDS))
              .isTrue();
          // Listeners are told before the sequence moves on, so that may still be under way.
          long deadline = System.nanoTime() + WallClock.limit(Duration.ofSeconds(1)).toNanos();
          while (store.changes().sequence() < other.changes().sequence()
              && System.nanoTime() < deadline) {
            Thread.onSpinWait();
          }
          assertThat(store.changes().sequence()).isEqualTo(other.changes().sequence());
        }
      }
    }
  }

  /** Every part of the service meets the outage, the pools too; the output tells of it once. */
  @Tag("attack")
  @Test
  @Timeout(120)
  void anOutageIsOneLineWhenItBeginsAndOneWhenItEnds(@TempDir Path folder) throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      Map<String, String> settings =
          Map.of(
              "DATABASE_URL",
              server.freshDatabase(),
              "SAFECONDUCT_MASTER_KEY",
              "a master key of the tests, long enough",
              "JAVA_TOOL_OPTIONS",
              "-Dlogback.configurationFile=logback.xml");
      try (var process = new ServerProcess(folder, settings);
          var client = HttpClient.newHttpClient()) {
        process.awaitAnswering();
        Calls admin = process.admin(client);
        server.crash();
        for (int i = 0; i < 40 || admin.get("/readyz").status() == 200; i++) {
          for (String path : List.of("/api/audit", "/api/audit/log/checkpoint", "/jwks.json")) {
            Reply _ = admin.get(path);
          }
          assertThat(admin.post("/api/orgs", "{\"name\": \"Org\"}").status()).isEqualTo(503);
          LockSupport.parkNanos(50_000_000);
        }
        server.resume();
        while (admin.get("/readyz").status() != 200) {
          LockSupport.parkNanos(1_000_000);
        }
        assertThat(admin.post("/api/orgs", "{\"name\": \"Org\"}").status()).isEqualTo(201);
        process.terminate();
        assertThat(process.exitStatus()).isEqualTo(143);
        List<String> said = process.said();
        assertThat(said).noneMatch(line -> line.startsWith("\tat "));
        assertThat(said).filteredOn(line -> line.contains("works again after")).hasSize(1);
        assertThat(said)
            .filteredOn(line -> line.contains(" WARN ") || line.contains(" ERROR "))
            .singleElement()
            .asString()
            .contains("The database cannot be used");
      }
    }
  }

  @Test
  void saysWhatIsWrongWhenItCannotBeReached() {
    assertThatThrownBy(
            () -> Storage.open(StoreConfig.postgres("postgresql://u:secret@127.0.0.1:1/db")))
        .isInstanceOf(StoreFault.class)
        .hasMessageContaining("postgresql://127.0.0.1:1/db")
        .hasMessageNotContaining("secret");
  }
}
