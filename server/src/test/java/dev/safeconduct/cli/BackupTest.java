package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.db.SqliteBackup;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a SQLite database, and what becomes of them. */
final class BackupTest {
  private static final Pattern RECORDS = Pattern.compile("sound: (\\d+) records");

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before each test
  private Path folder;

  private Path data() {
    return folder.resolve("data");
  }

  private Path backup() {
    return folder.resolve("backup");
  }

  private static Map<String, String> settings(Path data) {
    return Map.of("DATA_DIR", data.toString());
  }

  private static void decide(TestService service, String agent) {
    assertThat(service.owner().post(Questions.MESSAGE, Questions.message(agent)).status())
        .isEqualTo(200);
  }

  private static long records(CommandRun run) {
    assertThat(run.status()).as(run.toString()).isZero();
    Matcher records = RECORDS.matcher(run.out());
    assertThat(records.find()).as(run.out()).isTrue();
    return Long.parseLong(records.group(1));
  }

  /** A new data folder with the master key, as after the loss of a machine. */
  private Path fresh() throws IOException {
    Path fresh = Files.createDirectory(folder.resolve("fresh"));
    Files.copy(data().resolve("master.key"), fresh.resolve("master.key"));
    return fresh;
  }

  @Test
  void aCopyUnderLoadIsSoundAndServesAgain() throws Exception {
    long copied;
    String agent;
    String key;
    try (TestService service = TestService.start(data(), Map.of())) {
      agent = Questions.hosted(service, 1_000_000);
      key = Questions.newKey(service, service.org(), "{'name': 'k', 'scopes': ['read']}");
      var enough = new AtomicBoolean();
      Thread load =
          Thread.ofVirtual()
              .start(() -> {
                while (!enough.get()) {
                  decide(service, agent);
                }
              });
      decide(service, agent);
      copied = records(CommandRun.backup(settings(data()), backup()));
      enough.set(true);
      load.join();
      assertThat(Questions.newestRecord(service)).isGreaterThanOrEqualTo(copied - 1);
    }
    try (Stream<Path> files = Files.list(backup())) {
      assertThat(files).containsExactly(backup().resolve("safeconduct.db"));
    }
    assertThat(Files.getPosixFilePermissions(backup().resolve("safeconduct.db")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    Path fresh = fresh();
    CommandRun restored = CommandRun.restore(settings(fresh), backup().toString());
    assertThat(records(restored)).isEqualTo(copied);
    assertThat(restored.out()).doesNotContain("not checked");
    try (TestService again = TestService.start(fresh, Map.of())) {
      assertThat(again.withKey(key).post(Questions.MESSAGE, Questions.message(agent)).status())
          .isEqualTo(200);
    }
    assertThat(records(CommandRun.auditVerify(settings(fresh)))).isGreaterThan(copied);
  }

  /** The copy that an operator needs before she accepts the log. */
  @Test
  void aLogThatNodesDoNotAcceptIsCopiedWithAWarning() throws Exception {
    TestService.start(data(), Map.of()).close();
    try (Connection connection = EachStore.SQLITE.connection(settings(data()));
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(
          "INSERT INTO log_dispute (size, commitment) VALUES (9000, randomblob(32))");
    }
    assertThat(CommandRun.auditVerify(settings(data())).out()).contains("FAULT a node has seen");
    CommandRun copy = CommandRun.backup(settings(data()), backup());
    records(copy);
    assertThat(copy.out()).startsWith("WARNING a node has seen a log of 9000 records");
    CommandRun restored = CommandRun.restore(settings(fresh()), backup().toString());
    records(restored);
    assertThat(restored.out()).contains("WARNING a node has seen");
  }

  @Test
  void anOlderBackupIsRestoredWithAWarning() throws Exception {
    String later;
    try (TestService service = TestService.start(data(), Map.of())) {
      String agent = Questions.hosted(service, 100);
      decide(service, agent);
      assertThat(CommandRun.backup(settings(data()), backup()).status()).isZero();
      decide(service, agent);
      String checkpoint;
      do { // may be a second old
        checkpoint = service.nobody().get("/api/audit/log/checkpoint").text();
      } while (Long.parseLong(checkpoint.lines().skip(1).findFirst().orElseThrow())
          <= Questions.newestRecord(service));
      later = checkpoint;
    }
    Path note = Files.writeString(folder.resolve("checkpoint.txt"), later);
    String from = backup().toString();
    CommandRun taken = CommandRun.restore(settings(data()), from);
    assertThat(taken.status()).isEqualTo(2);
    assertThat(taken.err()).contains("There is a database", "--replace");
    CommandRun restored =
        CommandRun.restore(settings(data()), from, "--replace", "--checkpoint", note.toString());
    long records = records(restored);
    assertThat(restored.err())
        .contains(
            "checkpoint.txt knows of " + (records + 1),
            "log-seen.txt knows of " + (records + 1),
            "safeconduct audit accept --size=" + records);
    try (Stream<Path> files = Files.list(data())) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .anyMatch(name -> name.matches("safeconduct\\.db\\.replaced-\\d{8}T\\d{6}Z"));
    }
    assertThat(CommandRun.accept(settings(data()), "--size=" + records).status()).isZero();
    try (TestService again = TestService.start(data(), Map.of())) {
      assertThat(Questions.newestRecord(again)).isGreaterThanOrEqualTo(records - 1);
    }
    CommandRun verified = CommandRun.auditVerify(settings(data()), "--checkpoint", note.toString());
    assertThat(verified.status()).as("the checkpoint shows the loss").isEqualTo(1);
  }

  @Test
  void whatIsNotSoundIsNeitherCopiedNorRestored() throws Exception {
    try (TestService service = TestService.start(data(), Map.of())) {
      decide(service, Questions.hosted(service, 100));
      assertThat(CommandRun.restore(settings(data()), backup().toString()).err())
          .contains("There is no database");
      assertThat(CommandRun.backup(settings(data()), backup()).status()).isZero();
      assertThat(CommandRun.restore(settings(data()), backup().toString(), "--replace").err())
          .contains("in use by another");
      assertThat(CommandRun.backup(settings(data()), backup()).err()).contains("is not empty");
    }
    Map<String, String> others = new HashMap<>(settings(folder.resolve("others")));
    others.put("SAFECONDUCT_MASTER_KEY", "the master key of another service");
    CommandRun locked = CommandRun.restore(others, backup().toString());
    assertThat(locked.status()).isEqualTo(1);
    assertThat(locked.out()).containsOnlyOnce("FAULT ").contains("no seal of a signing key opens");
    assertThat(locked.err()).isEqualTo("Nothing is restored: the backup is not sound.\n");
    forge(backup());
    CommandRun refused = CommandRun.restore(settings(fresh()), backup().toString());
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.out()).contains("NOT SOUND");
    assertThat(folder.resolve("fresh/safeconduct.db")).doesNotExist();
    forge(data());
    CommandRun copy = CommandRun.backup(settings(data()), folder.resolve("second"));
    assertThat(copy.status()).isEqualTo(1);
    assertThat(copy.err()).isEqualTo("There is no backup: the database is not sound.\n");
    assertThat(folder.resolve("second")).isEmptyDirectory();
  }

  /** As Ctrl-C does: the next backup into the folder is not refused. */
  @Test
  void anInterruptedBackupLeavesNothing() throws Exception {
    try (TestService service = TestService.start(data(), Map.of())) {
      decide(service, Questions.hosted(service, 100));
    }
    int status = 0;
    for (int i = 0; i < 5 && status == 0; i++) {
      status = interruptedBackup(Files.createDirectory(folder.resolve("interrupted-" + i)));
    }
    assertThat(status).isEqualTo(128 + 15);
  }

  /** Returns the status; 0 if the backup was complete before the signal arrived. */
  private int interruptedBackup(Path target) throws Exception {
    try (WatchService watch = target.getFileSystem().newWatchService()) {
      var _ = target.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      ProcessBuilder builder = ServerProcess.safeconduct("backup", target.toString());
      builder.environment().put("DATA_DIR", data().toString());
      Process command = builder.redirectErrorStream(true).start();
      assertThat(watch.poll(60, TimeUnit.SECONDS)).as("the copy began").isNotNull();
      command.destroy();
      int status = command.waitFor();
      if (status != 0) {
        assertThat(target).isEmptyDirectory();
        assertThat(CommandRun.backup(settings(data()), target).status()).isZero();
      }
      return status;
    }
  }

  /** What an operator sees names the file and what is wrong with it. */
  @Test
  void whatCannotBeReadIsNamed() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "x".repeat(10_000));
    Files.createDirectory(backup());
    Files.copy(file, backup().resolve("safeconduct.db"));
    Path absent = folder.resolve("absent");
    // It is there and cannot be read, whoever runs this.
    Path loop = Files.createDirectory(folder.resolve("loop"));
    Files.createSymbolicLink(loop.resolve("safeconduct.db"), Path.of("safeconduct.db"));
    Map<CommandRun, String> expected =
        Map.of(
            CommandRun.backup(settings(backup()), file),
            file + " is not a folder",
            CommandRun.restore(settings(data()), backup().toString(), "--checkpoint=" + absent),
            absent + ": there is no such file or folder",
            CommandRun.auditVerify(settings(data()), "--keys=" + file),
            file + " is not a key set",
            CommandRun.restore(settings(data()), backup().toString()),
            "The database in " + backup() + " cannot be read: [SQLITE_NOTADB]",
            CommandRun.auditVerify(settings(backup())),
            "The database in " + backup() + " cannot be read: [SQLITE_NOTADB]",
            CommandRun.export(settings(absent), "--out=" + folder.resolve("export")),
            "There is no database at " + absent.resolve("safeconduct.db"),
            CommandRun.auditVerify(settings(loop)),
            "The database cannot be read: " + loop.resolve("safeconduct.db") + ": Too many levels",
            CommandRun.backup(settings(absent), folder.resolve("copy")),
            "There is no database at " + absent.resolve("safeconduct.db"));
    expected.forEach((run, text) -> {
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.err()).contains(text).hasLineCount(1);
      assertThat(run.out()).isEmpty();
    });
    assertThat(folder.resolve("copy")).doesNotExist();
  }

  @Test
  void aFolderWithAWriteAheadLogIsNotRestoredWithoutIt() throws Exception {
    try (TestService service = TestService.start(data(), Map.of())) {
      decide(service, Questions.hosted(service, 100));
      Files.createDirectory(backup());
      for (String name : List.of("safeconduct.db", "safeconduct.db-wal")) {
        Files.copy(data().resolve(name), backup().resolve(name));
      }
    }
    Path fresh = fresh();
    CommandRun refused = CommandRun.restore(settings(fresh), backup().toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).contains("safeconduct.db-wal has records");
    assertThat(fresh.resolve("safeconduct.db")).doesNotExist();
    Files.copy(fresh.resolve("master.key"), backup().resolve("master.key"));
    String copy = folder.resolve("copy").toString();
    long copied = records(CommandRun.backup(settings(backup()), Path.of(copy)));
    assertThat(records(CommandRun.restore(settings(fresh), copy))).isEqualTo(copied);
  }

  @Test
  void aRestoreThatCannotKeepTheOldDatabaseChangesNothing() throws Exception {
    Files.createDirectory(backup());
    Files.createDirectory(data());
    Files.writeString(backup().resolve("safeconduct.db"), "new");
    Files.writeString(data().resolve("safeconduct.db"), "old");
    Files.writeString(data().resolve("safeconduct.db-wal"), "old log");
    Path kept = data().resolve("safeconduct.db.replaced-20261123T000000Z");
    Files.writeString(kept, "older");
    Instant now = Instant.parse("2026-11-23T00:00:00Z");
    assertThatThrownBy(() -> SqliteBackup.restore(backup(), data(), true, now))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(data().resolve("safeconduct.db.restored")).doesNotExist();
    assertThat(data().resolve("safeconduct.db")).hasContent("old");
    assertThat(data().resolve("safeconduct.db-wal")).hasContent("old log");
    SqliteBackup.restore(backup(), data(), true, now.plusSeconds(1));
    assertThat(data().resolve("safeconduct.db")).hasContent("new");
    assertThat(data().resolve("safeconduct.db-wal")).doesNotExist();
    assertThat(data().resolve("safeconduct.db.replaced-20261123T000001Z")).hasContent("old");
    assertThat(data().resolve("safeconduct.db.replaced-20261123T000001Z-wal"))
        .hasContent("old log");
  }

  private static void forge(Path data) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + data.resolve("safeconduct.db"));
        Statement statement = connection.createStatement()) {
      assertThat(
              statement.executeUpdate(
                  "UPDATE audit SET body = CAST(replace(CAST(body AS TEXT), 'oap.allowed', 'oap.allowes') AS BLOB)"
                      + " WHERE kind = 'decision'"))
          .isPositive();
    }
  }

  @Test
  void postgresHasToolsOfItsOwn() {
    Map<String, String> settings =
        Map.of("DATABASE_URL", "postgresql://u@127.0.0.1:1/x", "DATA_DIR", data().toString());
    for (CommandRun run :
        new CommandRun[] {
          CommandRun.backup(settings, backup()), CommandRun.restore(settings, backup().toString())
        }) {
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.err()).contains("pg_dump");
    }
  }
}
