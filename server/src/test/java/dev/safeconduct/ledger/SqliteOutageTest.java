package dev.safeconduct.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.SqliteDatabase;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Tenant;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The disk is full, the process is killed, a second process comes. */
class SqliteOutageTest {
  private static final Tenant ALL = new Tenant.Everyone();

  @TempDir Path folder;

  @Test
  @Timeout(60)
  void answersUnavailableWhenTheDiskIsFullAndCountsNothing() {
    CounterKey key = CounterKey.of("k");
    long later = Fixtures.NOW.toEpochMilli() + 1000;
    try (Storage store = Storage.open(StoreConfig.sqlite(folder))) {
      LedgerEntry first = Fixtures.taking(key, 1, 1_000_000, Fixtures.NOW, later);
      long index = ((Commit.Recorded) new Ledger(store).commit(first)).logIndex();
      limitPages(store, "1");
      long last = index;
      LedgerEntry refused = Fixtures.taking(key, 1, 1_000_000, Fixtures.NOW, later);
      try {
        while (true) {
          refused = Fixtures.taking(key, 1, 1_000_000, Fixtures.NOW, later);
          last = ((Commit.Recorded) new Ledger(store).commit(refused)).logIndex();
        }
      } catch (ProblemException e) {
        assertThat(e.problem()).isInstanceOf(Problem.Unavailable.class);
      }
      assertThat(new AuditLog(store.reads()).find(ALL, refused.record().id())).isEmpty();
      // What was refused was not counted, and its place goes to the next.
      assertThat(eventually(store, Fixtures.taking(key, 1, 0, Fixtures.NOW, later)))
          .isEqualTo(new Commit.UsageMoved(Map.of(key, last + 1)));
      assertThat(eventually(store, Fixtures.entry(Long.MAX_VALUE)))
          .isEqualTo(new Commit.Recorded(last + 1));
    }
  }

  private static Commit eventually(Storage store, LedgerEntry entry) {
    while (true) {
      try {
        return new Ledger(store).commit(entry);
      } catch (ProblemException e) {
        assertThat(e.problem()).isInstanceOf(Problem.Unavailable.class);
      }
    }
  }

  private static void limitPages(Storage store, String pages) {
    store.change(connection -> MutationResult.none(limitPages(connection, pages)));
  }

  private static boolean limitPages(Connection connection, String pages) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.execute("PRAGMA max_page_count = " + pages);
    }
  }

  @Test
  @Timeout(60)
  void refusesOneBadEntryAndKeepsTheOthersOfItsBatch() throws Exception {
    try (Storage store = Storage.open(StoreConfig.sqlite(folder))) {
      LedgerEntry entry = Fixtures.entry(Long.MAX_VALUE);
      new Ledger(store).commit(entry);
      var load = new Load(store, 16);
      try (load) {
        load.awaitAcknowledged(50);
        for (int i = 0; i < 20; i++) {
          assertThatThrownBy(() -> new Ledger(store).commit(entry))
              .isInstanceOf(ProblemException.class);
        }
        load.awaitAcknowledged(50);
      }
      assertThat(load.refused).hasValue(0);
      assertThat(load.unexpected).isEmpty();
      assertGapless(store);
    }
  }

  /** A commit may have succeeded although it failed for the writer. */
  @Test
  void readsMissedChangesAfterTheProbeThatEndsAnOutage() throws Exception {
    try (var database = SqliteDatabase.open(folder);
        var session = WriterSession.open(database, new SeenLog(Optional.empty()), List.of())) {
      Sql.of("INSERT INTO change (sequence, subject, at_ms) VALUES (1, 'agent', 0)")
          .update(session.connection());
      session.connection().commit();
      session.probe(10);
      assertThat(session.begin(0, Set.of(), Set.of()).changes())
          .containsExactly(new Change(1, "agent"));
    }
  }

  @Test
  void refusesAFolderThatIsServed() {
    try (Storage store = Storage.open(StoreConfig.sqlite(folder))) {
      assertThatThrownBy(() -> Storage.open(StoreConfig.sqlite(folder)))
          .isInstanceOf(StoreFault.class)
          .hasMessageContaining("in use by another");
      assertThat(store.healthy()).isTrue();
    }
    Storage.open(StoreConfig.sqlite(folder)).close();
  }

  @Test
  void refusesAfterClosing() {
    Storage store = Storage.open(StoreConfig.sqlite(folder));
    store.close();
    assertThatThrownBy(() -> new Ledger(store).commit(Fixtures.entry(0)))
        .isInstanceOf(ProblemException.class);
    assertThat(store.healthy()).isFalse();
  }

  @Test
  @Timeout(60)
  void losesNothingAcknowledgedWhenKilled() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                KilledWriter.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    var told = new ArrayList<UUID>();
    try (var lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.length() == 36) {
          told.add(UUID.fromString(line));
        }
        if (told.size() == 300) {
          process.toHandle().destroyForcibly(); // leaves the output to be read
        }
      }
    }
    process.waitFor();
    List<Path> left = libraries();
    assertThat(left).isNotEmpty();
    try (Storage store = Storage.open(StoreConfig.sqlite(folder))) {
      assertThat(told).hasSizeGreaterThanOrEqualTo(300);
      assertThat(told)
          .allSatisfy(id -> assertThat(new AuditLog(store.reads()).find(ALL, id)).isPresent());
      assertGapless(store);
      assertThat(libraries()).doesNotContainAnyElementsOf(left);
    }
  }

  private List<Path> libraries() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().startsWith("sqlite-")).toList();
    }
  }

  private static void assertGapless(Storage store) {
    List<StoredRecord> all =
        new AuditLog(store.reads()).list(ALL, AuditFilter.ALL, Long.MAX_VALUE, 10_000_000);
    assertThat(all.reversed())
        .extracting(StoredRecord::logIndex)
        .containsExactlyElementsOf(LongStream.range(0, all.size()).boxed().toList());
  }
}
