package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Questions;
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
@Tag("slow")
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
        String org = admin.post("/api/orgs", "{\"name\": \"Org\"}").string("org_id");
        JsonObject passport = Questions.passport(Questions.freshAgent(), 1);
        Reply hosted = admin.post("/api/passports?org_id=" + org, passport);
        assertThat(hosted.status()).as(hosted.toString()).isEqualTo(201);
        JsonObject question = Questions.message(hosted.string("agent_id"));
        Reply key =
            admin.post(
                "/api/orgs/" + org + "/keys",
                Calls.json("{'name': 'k', 'scopes': ['read', 'update']}"));
        Calls owner = process.nobody(client).with("Authorization", "Bearer " + key.string("key"));
        server.crash();
        for (int i = 0; i < 40 || admin.get("/readyz").status() == 200; i++) {
          for (String path : List.of("/api/audit", "/api/audit/log/checkpoint", "/jwks.json")) {
            Reply _ = admin.get(path);
          }
          assertThat(owner.post(Questions.MESSAGE, question).status()).isEqualTo(503);
          LockSupport.parkNanos(50_000_000);
        }
        server.resume();
        while (admin.get("/readyz").status() != 200) {
          LockSupport.parkNanos(1_000_000);
        }
        assertThat(owner.post(Questions.MESSAGE, question).status()).isEqualTo(200);
        process.terminate();
        assertThat(process.exitStatus()).isEqualTo(143);
        List<String> said = process.said();
        assertThat(said).noneMatch(line -> line.startsWith("\tat "));
        List<String> ofOutage =
            said.stream()
                .filter(line ->
                    line.contains("database")
                        || line.contains(" WARN ")
                        || line.contains(" ERROR "))
                .toList();
        assertThat(ofOutage).hasSize(2);
        assertThat(ofOutage.getFirst()).contains("The database cannot be used");
        assertThat(ofOutage.getLast()).contains("The database works again after");
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
