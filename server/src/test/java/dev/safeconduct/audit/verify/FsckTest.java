package dev.safeconduct.audit.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.app.KeyCheck;
import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.TestWitness;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody who can write to the database cannot hide what they did to the log. */
@Tag("slow")
final class FsckTest {
  /** More than one tile, so that there is a second level. */
  private static final int DECISIONS = 300;

  @SuppressWarnings("NullAway.Init") // set before all tests
  @TempDir
  static Path original;

  @TempDir Path folder;

  private static final TestWitness WITNESS = new TestWitness("witness.example/w");

  private static String earlier = "";

  @BeforeAll
  static void fill() {
    try (TestService service = TestService.start(original, Map.of())) {
      String agent = Questions.hosted(service, 5);
      earlier = service.owner().get("/api/audit/checkpoint").text();
      ask(service, agent, DECISIONS);
    }
    try (TestService service =
        TestService.start(original, Map.of("AUDIT_WITNESSES", WITNESS.verifierKey()))) {
      // The first checkpoint after a start is kept.
      String note = service.nobody().get("/api/audit/log/checkpoint").text();
      JsonObject cosigned =
          JsonObject.builder().put("checkpoint", WITNESS.cosigned(note, 1_700_000_000L)).build();
      assertThat(service.admin().post("/api/audit/log/cosignatures", cosigned).status())
          .isEqualTo(200);
    }
  }

  private static void ask(TestService service, String agent, int times) {
    AtOnce.run(
            times,
            i ->
                assertThat(
                    service.owner().post(COMMAND, Questions.command(agent, "ls " + i)).status()))
        .forEach(status -> status.isEqualTo(200));
  }

  private Connection copy() throws IOException, SQLException {
    Path file = folder.resolve("safeconduct.db");
    Files.copy(original.resolve("safeconduct.db"), file, StandardCopyOption.REPLACE_EXISTING);
    return DriverManager.getConnection("jdbc:sqlite:" + file);
  }

  private static Fsck.Report check(StoreConfig store, String... seen) {
    try (LogReader reader = LogReader.open(store)) {
      return Fsck.run(reader.log(), new KeyCheck(reader.keys(), Ed25519.fastest()), List.of(seen));
    }
  }

  private List<String> faults(String... seen) {
    return check(StoreConfig.sqlite(folder), seen).withDispute().faults();
  }

  @Test
  void aSoundLogHasNoFaults() throws Exception {
    copy().close();
    Fsck.Report report = check(StoreConfig.sqlite(folder), earlier);
    assertThat(report.faults()).isEmpty();
    assertThat(report.decisions()).isEqualTo(DECISIONS);
    assertThat(report.checkpoints()).isEqualTo(3);
    assertThat(report.records()).isGreaterThan(DECISIONS);
  }

  /** Every kind of value the log keeps, one random bit of it at a time. */
  @Test
  void anyFlippedBitIsNamed() throws Exception {
    var random = new Random(20261121);
    List<String> columns =
        List.of(
            "audit.log_index",
            "audit.record_id",
            "audit.kind",
            "audit.org",
            "audit.at_ms",
            "audit.agent",
            "audit.policy",
            "audit.allow",
            "audit.code",
            "audit.body",
            "audit.signature",
            "audit.details",
            "audit.salt",
            "audit.commitment",
            "log_tile.level",
            "log_tile.tile",
            "log_tile.hashes",
            "log_checkpoint.size",
            "log_checkpoint.note",
            "log_cosignature.size",
            "log_cosignature.witness",
            "log_cosignature.signed_at",
            "log_cosignature.signature");
    try (Connection connection = copy()) {
      connection.setAutoCommit(false);
      for (int round = 0; round < 4; round++) {
        for (String column : columns) {
          String what = flip(connection, column, random);
          connection.commit();
          assertThat(faults()).as(what).isNotEmpty();
          restore(connection);
        }
      }
      assertThat(faults()).isEmpty();
    }
  }

  /** Flips a bit of a random row's value and returns what was done. */
  private static String flip(Connection connection, String column, Random random)
      throws SQLException {
    String table = column.substring(0, column.indexOf('.'));
    String name = column.substring(column.indexOf('.') + 1);
    String among =
        " FROM " + table + " WHERE " + name + " IS NOT NULL AND length(" + name + ") > 0";
    try (Statement statement = connection.createStatement()) {
      long row;
      byte[] value;
      String type;
      try (ResultSet found =
          statement.executeQuery(
              "SELECT rowid, typeof("
                  + name
                  + "), CAST("
                  + name
                  + " AS BLOB), "
                  + name
                  + among
                  + " ORDER BY rowid LIMIT 1 OFFSET (SELECT "
                  + random.nextInt(1_000_000)
                  + " % count(*)"
                  + among
                  + ")")) {
        assertThat(found.next()).as(column).isTrue();
        row = found.getLong(1);
        type = found.getString(2);
        value = found.getBytes(3);
      }
      String update = "UPDATE " + table + " SET " + name + " = ? WHERE rowid = ?";
      try (var change = connection.prepareStatement(update)) {
        if (type.equals("integer")) {
          long number = Long.parseLong(new String(value, StandardCharsets.US_ASCII));
          int bit = 20 + random.nextInt(20); // low bits of a place would meet another row's
          change.setLong(1, number ^ (1L << bit));
        } else {
          int bit = random.nextInt(value.length * 8);
          value[bit / 8] ^= (byte) (1 << (bit % 8));
          if (type.equals("text")) {
            change.setString(1, new String(value, StandardCharsets.ISO_8859_1));
          } else {
            change.setBytes(1, value);
          }
        }
        change.setLong(2, row);
        change.executeUpdate();
      }
      return column + " of row " + row;
    }
  }

  private void restore(Connection connection) throws SQLException {
    connection.setAutoCommit(true);
    try (Statement statement = connection.createStatement()) {
      statement.execute("ATTACH '" + original.resolve("safeconduct.db") + "' AS source");
      for (String table : List.of("audit", "log_tile", "log_checkpoint", "log_cosignature")) {
        statement.execute("DELETE FROM " + table);
        statement.execute("INSERT INTO " + table + " SELECT * FROM source." + table);
      }
      statement.execute("DETACH source");
    }
    connection.setAutoCommit(false);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DELETE FROM audit WHERE log_index = 100",
        "DELETE FROM audit WHERE log_index > 250",
        "DELETE FROM audit WHERE log_index = (SELECT max(log_index) FROM audit)",
        "DELETE FROM audit WHERE log_index = 0",
        "DELETE FROM log_tile WHERE level = 0",
        "DELETE FROM log_tile WHERE level = 1",
        "UPDATE audit SET log_index = log_index + 1000 WHERE log_index >= 200",
        "UPDATE audit SET log_index = CASE log_index WHEN 280 THEN -280 ELSE -281 END"
            + " WHERE log_index IN (280, 281)",
        "UPDATE audit SET signature = (SELECT signature FROM audit WHERE log_index = 50)"
            + " WHERE log_index = 51",
        "INSERT INTO log_dispute (size, commitment) VALUES (9000, randomblob(32))",
        "INSERT INTO log_dispute (size, commitment) VALUES (200, randomblob(32))",
        "INSERT INTO audit SELECT log_index + 5000, randomblob(16), kind, org, at_ms, agent, policy,"
            + " allow, code, body, signature, details, salt, commitment FROM audit"
            + " WHERE log_index = 50",
        "DELETE FROM log_checkpoint; DELETE FROM audit WHERE log_index > 0;"
            + " DELETE FROM log_tile"
      })
  void whatIsRemovedDoubledOrSwappedIsFound(String attack) throws Exception {
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(attack);
      if (attack.contains("CASE")) {
        statement.executeUpdate(
            "UPDATE audit SET log_index = CASE log_index WHEN -280 THEN 281 ELSE 280 END"
                + " WHERE log_index < 0");
      }
    }
    assertThat(faults(earlier)).isNotEmpty();
  }

  /**
   * Rolled back to records that do not fill a tile, with every checkpoint deleted: what is left
   * holds together, but each start keeps a checkpoint.
   */
  @Test
  @Tag("attack")
  void aLogWithoutAnyCheckpointIsNotSound() throws Exception {
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("DELETE FROM audit WHERE log_index >= 200");
      statement.executeUpdate("DELETE FROM log_tile");
      statement.executeUpdate("DELETE FROM log_cosignature");
      statement.executeUpdate("DELETE FROM log_checkpoint");
    }
    assertThat(CommandRun.faults(folder))
        .singleElement()
        .asString()
        .contains("no checkpoint of this log is kept");
    // One that was kept elsewhere, from before the last record that is left.
    assertThat(CommandRun.faults(folder, earlier)).isEmpty();
  }

  /** Another name makes it another log, for everybody who has kept a checkpoint. */
  @Test
  @Tag("attack")
  void anotherNameOfTheLogIsFoundAndStopsTheStart() throws Exception {
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      Files.copy(original.resolve("master.key"), folder.resolve("master.key"));
      statement.executeUpdate(
          "UPDATE secret SET value = CAST('evil.example/log' AS BLOB) WHERE name = 'log_origin'");
    }
    assertThat(CommandRun.faults(folder))
        .isNotEmpty()
        .allMatch(fault -> fault.contains("is named otherwise"));
    assertThatThrownBy(() -> TestService.start(folder, Map.of()).close())
        .hasMessageContaining("log_origin");
  }

  /** The operator hears which row it is, and how to go on. */
  @Test
  void aCheckpointThatCannotBeReadIsNamed() throws Exception {
    Files.copy(original.resolve("master.key"), folder.resolve("master.key"));
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("INSERT INTO log_checkpoint (size, note) VALUES (100000, 'no note')");
      assertThat(faults())
          .first()
          .asString()
          .contains("(log_checkpoint, size 100000) cannot be read");
      assertThatThrownBy(() -> TestService.start(folder, Map.of()).close())
          .hasMessageContaining("(log_checkpoint, size 100000) cannot be read")
          .hasMessageContaining("delete it");
      statement.executeUpdate("DELETE FROM log_checkpoint WHERE size = 100000");
    }
    TestService.start(folder, Map.of()).close();
  }

  /** A row that cannot be read hides nothing of the others. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE audit SET at_ms = 4611686018427387904 WHERE log_index = 100",
        "UPDATE audit SET at_ms = -4611686018427387904 WHERE log_index = 100",
        "UPDATE audit SET at_ms = 253402300800000 WHERE log_index = 100",
        "UPDATE audit SET kind = 'nonsense' WHERE log_index = 100",
        "UPDATE audit SET record_id = x'00' WHERE log_index = 100",
        "UPDATE audit SET body = x'7b' WHERE log_index = 100",
        "UPDATE audit SET body = CAST('{\"kid\":5}' AS BLOB) WHERE log_index = 100"
      })
  void aRowThatCannotBeReadIsReportedAndTheRestIsChecked(String sql) throws Exception {
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate(sql)).isEqualTo(1);
      statement.executeUpdate("DELETE FROM audit WHERE log_index = 250");
    }
    CommandRun run = CommandRun.auditVerify(Map.of("DATA_DIR", folder.toString()));
    assertThat(run.status()).as(run.err()).isEqualTo(1);
    assertThat(run.out())
        .contains("FAULT record 100 ")
        .contains("records 250 to 250 are missing")
        .doesNotContain("\tat ");
  }

  @Test
  void aDatabaseWithoutTheTableOfRecordsIsNotReadAtAll() throws Exception {
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("DROP TABLE audit");
    }
    CommandRun run = CommandRun.auditVerify(Map.of("DATA_DIR", folder.toString()));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).doesNotContain("FAULT", "\tat ");
    assertThat(run.err()).contains("the table of records cannot be read").hasLineCount(1);
  }

  @Test
  void aDamagedPageIsReportedAndTheRestIsChecked() throws Exception {
    int page;
    int size;
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("DELETE FROM audit WHERE log_index = 290");
      size = number(statement, "PRAGMA page_size");
      page =
          number(
              statement,
              "SELECT pageno FROM dbstat WHERE name = 'audit' AND pagetype = 'leaf'"
                  + " ORDER BY path LIMIT 1 OFFSET 20");
      statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    Path file = folder.resolve("safeconduct.db");
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, (page - 1) * size, (page - 1) * size + 64, (byte) 0xff);
    Files.write(file, bytes);
    CommandRun run = CommandRun.auditVerify(Map.of("DATA_DIR", folder.toString()));
    assertThat(run.status()).as(run.out() + run.err()).isEqualTo(1);
    assertThat(run.out())
        .contains("the database is damaged")
        .contains("records 290 to 290 are missing")
        .doesNotContain("\tat ");
  }

  /** What no search finds is hidden, although the log has it. */
  @ParameterizedTest
  @EnumSource
  @Tag("attack")
  void aSearchThatLeavesRecordsOutIsNamed(EachStore store) throws Exception {
    var settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.toString());
    String agent;
    try (TestService service = TestService.start(folder, settings)) {
      agent = Questions.hosted(service, 5);
      String erased =
          service.owner().post(COMMAND, Questions.command(agent, "ls")).string("decision_id");
      ask(service, agent, 4);
      Calls owner = service.member(service.org(), "owner@example.com", "owner");
      long newest = Questions.newestRecord(service);
      for (int i = 0; i < 100 && indexed(store, settings) <= newest; i++) {
        owner.get("/console"); // counts the log, unless another does
      }
      service.admin().delete("/api/audit/" + erased + "?reason=test");
    }
    assertThat(CommandRun.auditVerify(settings).out()).startsWith("sound: ");
    try (Connection connection = store.connection(settings);
        Statement statement = connection.createStatement()) {
      for (String facet : List.of("agent", "policy", "code", "allow", "kind", "minute")) {
        assertThat(statement.executeUpdate("DELETE FROM log_part WHERE facet = '" + facet + "'"))
            .isPositive();
        assertThat(CommandRun.auditVerify(settings).out())
            .containsPattern("FAULT searches in records 0 to \\d+ leave out " + facet + " ");
      }
    }
    assertThat(CommandRun.auditVerify(settings).out())
        .contains("leave out agent " + agent + " of ");
  }

  private static int indexed(EachStore store, Map<String, String> settings) throws SQLException {
    try (Connection connection = store.connection(settings);
        Statement statement = connection.createStatement()) {
      return number(statement, "SELECT coalesce(max(next_index), 0) FROM tally_progress");
    }
  }

  private static int number(Statement statement, String query) throws SQLException {
    try (ResultSet found = statement.executeQuery(query)) {
      assertThat(found.next()).as(query).isTrue();
      return found.getInt(1);
    }
  }

  /** One good line is not enough beside a bad one of another known key. */
  @Test
  @Tag("attack")
  void aKeptCheckpointWithOneBadLineIsNoCheckpoint() throws Exception {
    Path data = folder.resolve("data");
    String note;
    try (TestService service = TestService.start(data, Map.of())) {
      service.admin().post("/api/admin/signing-keys/rotate", "{\"purpose\":\"checkpoint\"}");
    }
    try (TestService service = TestService.start(data, Map.of())) {
      note = service.nobody().get("/api/audit/log/checkpoint").text();
    }
    List<String> lines = note.lines().toList();
    assertThat(lines).as("a text of three lines, and two signatures").hasSize(6);
    assertThat(CommandRun.faults(data, note)).isEmpty();
    for (String line : lines.subList(4, 6)) {
      int place = line.length() - 20;
      String other = line.charAt(place) == 'A' ? "B" : "A";
      String bad = line.substring(0, place) + other + line.substring(place + 1);
      assertThat(CommandRun.faults(data, note.replace(line, bad)))
          .singleElement()
          .asString()
          .contains("is not signed by this log's key");
    }
  }

  /** The others are all there, and whoever looks for what is gone must not drown in them. */
  @Test
  void onlyWhatIsMissingIsCalledMissing() throws Exception {
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      statement.execute("DELETE FROM audit WHERE log_index IN (100, 101, 200)");
    }
    assertThat(faults().stream().filter(fault -> fault.contains("missing")))
        .containsExactly("records 100 to 101 are missing", "records 200 to 200 are missing");
  }

  @Test
  void aRunningServiceOnPostgresIsCheckedToo() {
    String database = PostgresServer.shared().freshDatabase();
    try (TestService service =
        TestService.start(
            Map.of(
                "DATABASE_URL",
                database,
                "SAFECONDUCT_MASTER_KEY",
                "a master key of the tests, long enough"))) {
      ask(service, Questions.hosted(service, 5), 270);
      String seen = service.nobody().get("/api/audit/log/checkpoint").text();
      Fsck.Report report = check(StoreConfig.postgres(database), seen);
      assertThat(report.faults()).isEmpty();
      assertThat(report.decisions()).isEqualTo(270);
      assertThat(check(StoreConfig.postgres(database), earlier).faults())
          .containsExactly(
              "given checkpoint 1 (size "
                  + earlier.lines().toList().get(1)
                  + ") is not signed by this log's key");
    }
  }
}
