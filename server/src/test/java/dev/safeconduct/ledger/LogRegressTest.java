package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.db.PostgresUrl;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A database whose log lacks records that a node has seen: a restored copy, a lagging standby. */
@Timeout(60)
@Tag("attack")
@Tag("slow")
final class LogRegressTest {
  @TempDir private Path folder;

  private static long commit(Storage store) {
    return ((Commit.Recorded) new Ledger(store).commit(Fixtures.entry(Long.MAX_VALUE))).logIndex();
  }

  private void write(StoreConfig config, int records) {
    try (Storage store = Storage.open(config)) {
      for (int i = 0; i < records; i++) {
        commit(store);
      }
    }
  }

  /** Copies the database with its write-ahead log, as a stopped service leaves them. */
  private void copy(String from, String to) throws Exception {
    delete(to);
    for (String part : List.of("", "-wal")) {
      if (Files.exists(folder.resolve(from + part))) {
        Files.copy(folder.resolve(from + part), folder.resolve(to + part));
      }
    }
  }

  private void delete(String name) throws Exception {
    for (String part : List.of("", "-wal", "-shm")) {
      Files.deleteIfExists(folder.resolve(name + part));
    }
  }

  /** Runs a service that writes so many records more than a start does. */
  private void serve(int records) {
    try (TestService service = TestService.start(folder, Map.of())) {
      for (int i = 0; i < records; i++) {
        Reply reply = service.admin().post("/api/orgs", "{\"name\": \"Org\"}");
        assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
      }
    }
  }

  private void refusesToStart() {
    refusesToStart("\\d+");
  }

  private void refusesToStart(String size) {
    assertThatThrownBy(() -> serve(0))
        .hasMessageMatching("(?s).* safeconduct audit accept --size=" + size + "(?!\\d).*");
  }

  /** The number of records of a stopped service's file, whose indices have no gap. */
  private long records(String name) throws SQLException {
    try (Connection file = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(name));
        Statement statement = file.createStatement()) {
      long records = records(statement);
      try (ResultSet last = statement.executeQuery("SELECT max(log_index) FROM audit")) {
        assertThat(last.getLong(1)).isEqualTo(records - 1);
      }
      return records;
    }
  }

  @Test
  void anOlderFileIsNotServedUntilAnOperatorAcceptsIt() throws Exception {
    serve(2);
    copy("safeconduct.db", "backup.db");
    serve(3);
    copy("backup.db", "safeconduct.db");
    long left = records("backup.db");
    String size = Long.toString(left);
    refusesToStart(size);
    Map<String, String> settings = Map.of("DATA_DIR", folder.toString());
    assertThat(CommandRun.accept(settings, "--size=" + (left + 1)).err())
        .contains("has " + left + " records, not " + (left + 1));
    refusesToStart(size);
    assertThat(CommandRun.accept(settings, "--size=" + left).status()).isZero();
    serve(1);
    assertThat(records("safeconduct.db")).isGreaterThan(left); // and the next one follows them
    copy("backup.db", "safeconduct.db"); // what was accepted then is not accepted for good
    refusesToStart(size);
  }

  /** As long as the lost one, so that only the records tell. */
  @Test
  void anotherLogOfTheSameLengthIsNotServed() throws Exception {
    serve(1);
    copy("safeconduct.db", "backup.db");
    serve(1);
    copy("log-seen.txt", "seen");
    copy("backup.db", "safeconduct.db");
    delete("log-seen.txt");
    serve(2);
    copy("seen", "log-seen.txt");
    refusesToStart();
  }

  @Test
  void aFolderOfAnotherLogIsSaid() throws Exception {
    StoreConfig config = StoreConfig.sqlite(folder);
    write(config, 2);
    delete("safeconduct.db");
    try (var log = new LogLines()) {
      assertThatThrownBy(() -> Storage.open(config))
          .isInstanceOf(StoreFault.class)
          .hasMessageContaining("delete " + folder.resolve("log-seen.txt"))
          .hasMessageNotContaining("audit accept");
      assertThat(log.of("delete " + folder.resolve("log-seen.txt"))).hasSize(1);
    }
  }

  @Test
  void runningNodesStopAndGoOnOnceItIsAccepted() throws Exception {
    Map<String, String> settings = EachStore.POSTGRES.settings();
    String url = Objects.requireNonNull(settings.get("DATABASE_URL"));
    try (TestService one = TestService.start(folder.resolve("one"), settings);
        TestService two = TestService.start(folder.resolve("two"), settings);
        Connection outside =
            DriverManager.getConnection(PostgresUrl.parse(url).jdbc().getFirst(), "postgres", "x");
        Statement statement = outside.createStatement()) {
      String agent = Questions.hosted(one, 100);
      for (int i = 0; i < 5; i++) {
        assertThat(one.owner().post(Questions.MESSAGE, Questions.message(agent)).status())
            .isEqualTo(200);
      }
      long before = records(statement);
      assertThat(before).isGreaterThan(5);
      // A checkpoint may be a second old.
      await(() -> size(one.nobody().get("/api/audit/log/checkpoint")) == before);
      // What a standby that lagged does not have.
      statement.executeUpdate(
          "DELETE FROM audit WHERE log_index >= (SELECT max(log_index) - 2 FROM audit)");
      await(() -> one.nobody().get("/readyz").status() == 503);
      await(() -> two.nobody().get("/readyz").status() == 503);
      assertThat(one.owner().post(Questions.MESSAGE, Questions.message(agent)).status())
          .isEqualTo(503);
      assertThat(two.withKey(one.key()).post(Questions.MESSAGE, Questions.message(agent)).status())
          .isEqualTo(503);
      assertThat(one.admin().get("/metrics").text()).contains("safeconduct_log_refused 1.0");
      await(() -> one.nobody().get("/api/audit/log/checkpoint").status() == 503);
      // A node that has not seen the log itself hears of it from the others.
      assertThatThrownBy(() -> TestService.start(folder.resolve("three"), settings))
          .hasMessageContaining("safeconduct audit accept --size=");
      long left = before - 3;
      var accepted =
          CommandRun.accept(
              Map.of("DATABASE_URL", url, "DATA_DIR", folder.toString()), "--size=" + left);
      assertThat(accepted.status()).as(accepted.err()).isZero();
      await(() -> one.nobody().get("/readyz").status() == 200);
      await(() -> two.nobody().get("/readyz").status() == 200);
      // A node that looked just before the acceptance may tell of the lost records once more.
      await(() -> one.owner().post(Questions.MESSAGE, Questions.message(agent)).status() == 200);
      await(() -> size(one.nobody().get("/api/audit/log/checkpoint")) == left + 1);
      TestService.start(folder.resolve("three"), settings).close();
    }
  }

  /** Each node has seen another part of what is lost; the operator says so once for all. */
  @Test
  void whatWasSeenBeforeAnAcceptanceIsNotAskedForAgain() throws Exception {
    String url = Objects.requireNonNull(EachStore.POSTGRES.settings().get("DATABASE_URL"));
    StoreConfig one = postgres(url, "one");
    StoreConfig two = postgres(url, "two");
    write(two, 4);
    write(one, 6);
    lose(url, 3);
    assertThatThrownBy(() -> Storage.open(one))
        .isInstanceOf(StoreFault.class)
        .hasMessageContaining("safeconduct audit accept --size=3");
    accept(url, 3);
    try (Storage first = Storage.open(one)) {
      assertThat(commit(first)).isEqualTo(3);
      try (Storage second = Storage.open(two)) {
        assertThat(commit(second)).isEqualTo(4);
      }
      assertThat(commit(first)).isEqualTo(5);
    }
    lose(url, 4);
    assertThatThrownBy(() -> Storage.open(one)).isInstanceOf(StoreFault.class);
    accept(url, 4);
    write(two, 1);
    write(one, 1);
  }

  private StoreConfig postgres(String url, String node) throws Exception {
    return new StoreConfig.Postgres(
        url,
        Optional.of(Files.createDirectories(folder.resolve(node))),
        StoreConfig.CLOCK_DIFFERENCE);
  }

  private void accept(String url, long size) {
    Map<String, String> settings =
        Map.of("DATABASE_URL", url, "DATA_DIR", folder.resolve("operator").toString());
    CommandRun run = CommandRun.accept(settings, "--size=" + size);
    assertThat(run.status()).as(run.err()).isZero();
  }

  private static void lose(String url, long from) throws SQLException {
    try (Connection outside =
            DriverManager.getConnection(PostgresUrl.parse(url).jdbc().getFirst(), "postgres", "x");
        Statement statement = outside.createStatement()) {
      statement.executeUpdate("DELETE FROM audit WHERE log_index >= " + from);
    }
  }

  /** It is needed at the next start only, so decisions go on; but an operator must hear of it. */
  @Test
  void aFileThatCannotBeWrittenIsOneLine() throws Exception {
    StoreConfig config = StoreConfig.sqlite(folder);
    Path blocked = Files.createDirectories(folder.resolve("log-seen.txt.new/full"));
    try (var log = new LogLines();
        Storage store = Storage.open(config)) {
      for (int i = 0; i < 3; i++) {
        long _ = commit(store);
        store.seenLog().save();
      }
      assertThat(log.of("log-seen.txt")).singleElement().asString().contains("cannot be written");
      Files.delete(blocked);
      store.seenLog().save();
      assertThat(log.of("log-seen.txt is written again")).hasSize(1);
    }
  }

  private static long records(Statement statement) throws SQLException {
    try (ResultSet found = statement.executeQuery("SELECT count(*) FROM audit")) {
      found.next();
      return found.getLong(1);
    }
  }

  /** Returns the size of the log by its checkpoint; -1 while none is answered. */
  private static long size(Reply checkpoint) {
    return checkpoint.status() == 200 ? Long.parseLong(checkpoint.text().split("\n", -1)[1]) : -1;
  }

  @Test
  void aDisputeWhoseRecordsAreThereStopsNobody() throws Exception {
    StoreConfig config = EachStore.POSTGRES.newStore(folder);
    try (Storage store = Storage.open(config)) {
      long _ = commit(store);
      store.change(connection -> {
        try (Statement statement = connection.createStatement()) {
          statement.executeUpdate(
              "INSERT INTO log_dispute (size, commitment)"
                  + " SELECT log_index + 1, commitment FROM audit");
        }
        return MutationResult.none(true);
      });
      try (Storage other = Storage.open(config)) {
        assertThat(commit(other)).isEqualTo(1);
      }
      assertThatThrownBy(
              () -> {
                store.change(connection -> {
                  try (Statement statement = connection.createStatement()) {
                    statement.executeUpdate("UPDATE log_dispute SET size = 100");
                  }
                  return MutationResult.none(true);
                });
                await(() -> {
                  long _ = commit(store);
                  return false;
                });
              })
          .isInstanceOf(ProblemException.class);
    }
  }
}
