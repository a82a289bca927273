package dev.safeconduct.audit.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.ledger.AuditRows;
import dev.safeconduct.ledger.Commitment;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.tlog.Tile;
import dev.safeconduct.tlog.TreeHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Somebody who can write to the database changes records, and makes commitments, positions and
 * tiles fit again: checkpoints tell, the kept ones and those that were kept elsewhere.
 */
@Tag("attack")
@Tag("slow")
final class RewrittenLogTest {
  private static final int BEFORE = 100;

  @SuppressWarnings("NullAway.Init") // set before all tests
  @TempDir
  static Path original;

  @TempDir private Path folder;

  private static String early = "";
  private static String late = "";

  enum Attack {
    REMOVE_FROM_THE_MIDDLE {
      @Override
      void run(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
          statement.executeUpdate("DELETE FROM audit WHERE log_index = 150");
          statement.executeUpdate("UPDATE audit SET log_index = -log_index WHERE log_index > 150");
          statement.executeUpdate(
              "UPDATE audit SET log_index = -log_index - 1 WHERE log_index < 0");
        }
      }
    },
    REVIVE_AN_AGENT {
      @Override
      void run(Connection connection) throws Exception {
        long index;
        try (Statement statement = connection.createStatement()) {
          try (ResultSet row =
              statement.executeQuery("SELECT log_index FROM audit WHERE kind = 'status_change'")) {
            assertThat(row.next()).isTrue();
            index = row.getLong(1);
          }
          statement.executeUpdate(
              "UPDATE audit SET body = CAST(replace(CAST(body AS TEXT), 'suspended', 'active') AS"
                  + " BLOB) WHERE log_index = "
                  + index);
        }
        commit(connection, index);
      }
    };

    abstract void run(Connection connection) throws Exception;
  }

  @BeforeAll
  static void fill() {
    try (TestService service = TestService.start(original, Map.of())) {
      String agent = Questions.hosted(service, 5);
      early = service.owner().get("/api/audit/checkpoint").text();
      ask(service, agent, BEFORE);
      Questions.status(service, agent, "suspended");
      ask(service, agent, 2 * BEFORE);
    }
    try (TestService service = TestService.start(original, Map.of())) { // keeps a checkpoint
      late = service.nobody().get("/api/audit/log/checkpoint").text();
    }
  }

  private static void ask(TestService service, String agent, int times) {
    AtOnce.run(
            times,
            i -> service.owner().post(Questions.COMMAND, Questions.command(agent, "ls")).status())
        .forEach(status -> assertThat(status).isEqualTo(200));
  }

  private Connection copy() throws Exception {
    for (String part : List.of("safeconduct.db", "safeconduct.db-wal")) {
      if (Files.exists(original.resolve(part))) {
        Files.copy(original.resolve(part), folder.resolve(part));
      }
    }
    return DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("safeconduct.db"));
  }

  private List<String> faults(String... seen) throws IOException {
    return CommandRun.faults(folder, seen);
  }

  /** Builds all tiles again from the records as they are now. */
  private static void rebuildTiles(Connection connection) throws SQLException {
    var hashes = new ArrayList<byte[]>();
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("DELETE FROM log_tile");
      try (ResultSet row =
          statement.executeQuery("SELECT commitment FROM audit ORDER BY log_index")) {
        while (row.next()) {
          hashes.add(TreeHash.leaf(row.getBytes(1)));
        }
      }
    }
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO log_tile (level, tile, hashes) VALUES (?, ?, ?)")) {
      List<byte[]> below = hashes;
      for (int level = 0; !below.isEmpty(); level++) {
        var above = new ArrayList<byte[]>();
        for (int from = 0; from < below.size(); from += Tile.FULL) {
          List<byte[]> tile = below.subList(from, Math.min(from + Tile.FULL, below.size()));
          if (tile.size() == Tile.FULL) {
            above.add(TreeHash.complete(TreeHash.joined(tile)));
          }
          if (tile.size() == Tile.FULL || level > 0) {
            insert.setInt(1, level);
            insert.setInt(2, from / Tile.FULL);
            insert.setBytes(3, TreeHash.joined(tile));
            insert.executeUpdate();
          }
        }
        below = above;
      }
    }
  }

  /** What a decision is listed and counted by is in its signed body too. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "allow = 1 - allow",
        "agent = 'ap_00000000000000000000000000000000'",
        "agent = NULL",
        "policy = 'other.pack.v1'",
        "org = 'other'",
        "at_ms = at_ms - 86400000",
        "code = 'oap.other'",
        "code = NULL"
      })
  void aDecisionThatIsShownOtherwiseIsFoundWithoutAnyCheckpoint(String change) throws Exception {
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE audit SET " + change + " WHERE log_index = 50");
      // As before it was counted: else a name that is new in this part is a fault of the index too.
      statement.executeUpdate("UPDATE tally_progress SET next_index = 0");
      commit(connection, 50);
      rebuildTiles(connection);
      statement.executeUpdate("DELETE FROM log_checkpoint WHERE size > 50");
      assertThat(faults())
          .singleElement()
          .asString()
          .startsWith("record 50 ")
          .contains("does not say what its signed body says");
    }
  }

  /** A revocation of a key must not vanish as an erasure. */
  @Test
  void anErasedRecordOfAKeyIsFound() throws Exception {
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(
          "UPDATE audit SET salt = x'', body = x'', details = x'' WHERE log_index ="
              + " (SELECT min(log_index) FROM audit WHERE kind = 'config')");
      assertThat(faults()).anyMatch(fault -> fault.endsWith("the service erases none of its kind"));
    }
  }

  /** Builds the commitment of the record again. */
  private static void commit(Connection connection, long index) throws SQLException {
    Commitment commitment;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(AuditRows.SELECT + "WHERE log_index = " + index)) {
      assertThat(row.next()).isTrue();
      commitment = Commitment.to(AuditRows.read(row).entry(), new SecureRandom());
    }
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE audit SET salt = ?, commitment = ? WHERE log_index = ?")) {
      update.setBytes(1, commitment.salt());
      update.setBytes(2, commitment.entry());
      update.setLong(3, index);
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isFoundByTheKeptCheckpointsAndOnceThoseAreDeletedByOneFromElsewhere(Attack attack)
      throws Exception {
    try (Connection connection = copy();
        Statement statement = connection.createStatement()) {
      rebuildTiles(connection);
      assertThat(faults(early, late)).as("the tiles are built as the service does").isEmpty();
      attack.run(connection);
      rebuildTiles(connection);
      assertThat(faults()).allMatch(fault -> fault.contains("checkpoint")).isNotEmpty();
      assertThat(statement.executeUpdate("DELETE FROM log_checkpoint WHERE size > " + BEFORE))
          .isPositive();
      assertThat(faults()).as("docs/audit-log.md: who can forge what").isEmpty();
      assertThat(faults(early)).as("one from before tells nothing").isEmpty();
      assertThat(faults(late)).isNotEmpty();
    }
  }
}
