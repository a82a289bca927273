package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.WallClock;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A database that keeps its connections and does not answer. */
@Tag("timing")
@Tag("attack")
@Tag("slow")
final class FrozenDatabaseTest {
  private static final Duration MOST_WAIT = Duration.ofSeconds(5);

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static PostgresServer server;

  /** A commit, as its caller saw it. */
  private record Call(UUID id, boolean recorded, Duration began, Duration took) {}

  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private volatile boolean stopping;

  @BeforeAll
  static void startServer() {
    server = PostgresServer.start();
  }

  @AfterEach
  void thaw() {
    server.thaw();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  private static Duration now() {
    return Duration.ofNanos(System.nanoTime());
  }

  private void commit(Storage store) {
    while (!stopping) {
      LedgerEntry entry = Fixtures.entry(Long.MAX_VALUE);
      Duration began = now();
      boolean recorded = false;
      try {
        recorded = new Ledger(store).commit(entry) instanceof Commit.Recorded;
      } catch (ProblemException e) {
        assertThat(e.problem()).isInstanceOf(Problem.Unavailable.class);
        LockSupport.parkNanos(5_000_000);
      }
      calls.add(new Call(entry.record().id(), recorded, began, now().minus(began)));
    }
  }

  @Test
  @Timeout(120)
  void refusesEverybodyInTimeAndDecidesNothingLater() throws Exception {
    try (var log = new LogLines();
        Storage store = Storage.open(StoreConfig.postgres(server.freshDatabase()))) {
      var threads = new ArrayList<Thread>();
      for (int i = 0; i < 600; i++) { // more than a batch
        threads.add(Thread.startVirtualThread(() -> commit(store)));
      }
      await(() -> calls.size() > 3_000);
      server.freeze();
      Duration frozen = now();
      await(() -> now().minus(frozen).compareTo(MOST_WAIT.plusSeconds(2)) > 0);
      assertThat(store.healthy()).isFalse();
      server.thaw();
      Duration thawed = now();
      await(() -> calls.stream().anyMatch(c -> c.recorded() && c.began().compareTo(thawed) > 0));
      stopping = true;
      for (Thread thread : threads) {
        thread.join();
      }
      List<Call> asked =
          calls.stream()
              .filter(c -> c.began().compareTo(frozen) > 0 && c.began().compareTo(thawed) < 0)
              .toList();
      assertThat(asked).hasSizeGreaterThan(600);
      assertThat(asked)
          .as("nothing that was asked meanwhile is decided")
          .noneMatch(c -> c.recorded() && c.took().compareTo(MOST_WAIT) > 0);
      assertThat(asked)
          .allMatch(c -> c.took().compareTo(WallClock.limit(Duration.ofMillis(3_500))) < 0);
      assertThat(calls)
          .allMatch(c -> c.took().compareTo(WallClock.limit(MOST_WAIT.plusSeconds(1))) < 0);
      long records = store.number(dev.safeconduct.db.Sql.of("SELECT count(*) FROM audit"));
      long recorded = calls.stream().filter(Call::recorded).count();
      assertThat(records - recorded)
          .as("only the batch that was being written may be there unanswered")
          .isBetween(0L, 512L);
      assertThat(log.of("The database cannot be used")).hasSize(1);
      assertThat(log.of("The database works again")).hasSize(1);
    }
  }

  @Test
  @Timeout(120)
  void endsInTime(@TempDir Path folder) throws Exception {
    Map<String, String> settings =
        Map.of(
            "DATABASE_URL",
            server.freshDatabase(),
            "SAFECONDUCT_MASTER_KEY",
            "a master key of the tests, long enough");
    try (var process = new ServerProcess(folder, settings);
        var client = HttpClient.newHttpClient()) {
      process.awaitAnswering();
      Calls admin = process.admin(client);
      server.freeze();
      Duration frozen = now();
      await(() -> process.nobody(client).get("/readyz").status() == 503);
      assertThat(admin.post("/api/orgs", "{\"name\": \"Late\"}").status()).isEqualTo(503);
      assertThat(now().minus(frozen)).isLessThan(WallClock.limit(Duration.ofSeconds(4)));
      Duration asked = now();
      process.terminate();
      assertThat(process.exitStatus()).isEqualTo(143);
      assertThat(now().minus(asked)).isLessThan(WallClock.limit(Duration.ofSeconds(6)));
    }
  }

  /** Replies to a node are lost while it holds the log: others go on soon. */
  @Test
  @Timeout(60)
  void aNodeThatIsCutOffStopsOthersAtMostTwoSeconds() throws Exception {
    StoreConfig config = StoreConfig.postgres(server.freshDatabase());
    try (Storage store = Storage.open(config)) {
      var seen = new SeenLog(java.util.Optional.empty());
      try (WriterSession cut = WriterSession.open(store.database(), seen, List.of())) {
        WriterSession.Opening _ = cut.begin(0, java.util.Set.of(), java.util.Set.of());
        Duration began = now();
        assertThat(new Ledger(store).commit(Fixtures.entry(Long.MAX_VALUE)))
            .isInstanceOf(Commit.Recorded.class);
        assertThat(now().minus(began)).isLessThan(WallClock.limit(Duration.ofSeconds(2)));
        assertThatThrownBy(cut::rollback).isInstanceOf(java.sql.SQLException.class);
      }
    }
  }
}
