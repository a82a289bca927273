package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WallClock;
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

  /** Every part of the service meets the outage; the log tells of it once. */
  @Tag("attack")
  @Test
  @Timeout(120)
  void anOutageIsOneLineWhenItBeginsAndOneWhenItEnds(@TempDir Path folder) {
    try (PostgresServer server = PostgresServer.start()) {
      Map<String, String> settings =
          Map.of(
              "DATABASE_URL",
              server.freshDatabase(),
              "SAFECONDUCT_MASTER_KEY",
              "a master key of the tests, long enough");
      try (TestService service = TestService.start(folder, settings);
          var log = new LogLines()) {
        String agent = Questions.hosted(service, 1);
        server.crash();
        for (int i = 0; i < 40 || service.nobody().get("/readyz").status() == 200; i++) {
          for (String path : List.of("/api/audit", "/api/audit/log/checkpoint", "/jwks.json")) {
            Reply _ = service.owner().get(path);
          }
          assertThat(service.owner().post(Questions.MESSAGE, Questions.message(agent)).status())
              .isEqualTo(503);
          LockSupport.parkNanos(50_000_000);
        }
        server.resume();
        while (service.nobody().get("/readyz").status() != 200) {
          LockSupport.parkNanos(1_000_000);
        }
        assertThat(service.owner().post(Questions.MESSAGE, Questions.message(agent)).status())
            .isEqualTo(200);
        assertThat(log.of("")).hasSize(2);
        assertThat(log.of("The database cannot be used")).hasSize(1);
        assertThat(log.of("The database works again after")).hasSize(1);
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
