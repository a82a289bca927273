package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.db.Database;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.db.UpgradePlan;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.TestService;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an operator reads before an upgrade. */
final class UpgradeCheckTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set before each test
  private Path folder;

  private Map<String, String> settings(EachStore kind) {
    var settings = new HashMap<>(kind.emptySettings());
    settings.put("DATA_DIR", folder.resolve("data").toString());
    return settings;
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void theCheckRunsBesideTheServiceAndRefusesWhatTheStartRefuses(EachStore kind) throws Exception {
    Map<String, String> settings = settings(kind);
    CommandRun none = CommandRun.upgradeCheck(settings);
    assertThat(none.status()).isEqualTo(1);
    assertThat(none.err()).contains("This version cannot start here: There ");
    try (TestService _ = TestService.start(folder.resolve("data"), settings)) {
      CommandRun current = CommandRun.upgradeCheck(settings);
      assertThat(current.status()).as(current.toString()).isZero();
      assertThat(current.out()).contains("Nothing will change.", "Settings: valid.");
    }
    Map<String, String> others = new HashMap<>(settings);
    others.put("SAFECONDUCT_MASTER_KEY", "the master key of another service");
    CommandRun locked = CommandRun.upgradeCheck(others);
    assertThat(locked.status()).isEqualTo(1);
    assertThat(locked.err()).contains("This version cannot start here: no seal of a signing key");
    Path file = Files.writeString(folder.resolve("settings.yaml"), "NO_SETTING: 1\n");
    settings.put("CONFIG_FILE", file.toString());
    CommandRun unknown = CommandRun.upgradeCheck(settings);
    assertThat(unknown.status()).isEqualTo(1);
    assertThat(unknown.err()).contains("NO_SETTING");
    settings.remove("CONFIG_FILE");
    try (Connection connection = kind.connection(settings);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO schema_history (installed_rank, version, description, type, script,"
              + " installed_by, execution_time, success) SELECT 9999, '9999', 'later', 'SQL',"
              + " 'V9999__later.sql', 'x', 1, success FROM schema_history WHERE version = '001'");
    }
    String newer = "newer version of Safeconduct: its schema is 9999";
    for (CommandRun run :
        List.of(
            CommandRun.upgradeCheck(settings),
            CommandRun.auditVerify(settings),
            CommandRun.accept(settings, "--size=1"))) {
      assertThat(run.status()).as(run.toString()).isPositive();
      assertThat(run.err()).contains(newer);
    }
    if (kind == EachStore.SQLITE) {
      Path backup = folder.resolve("backup");
      assertThat(CommandRun.backup(settings, backup).err()).contains(newer);
      Path data = folder.resolve("other");
      CommandRun restored =
          CommandRun.restore(
              Map.of("DATA_DIR", data.toString()), folder.resolve("data").toString());
      assertThat(restored.status()).isEqualTo(2);
      assertThat(restored.err()).contains("Nothing is restored: ", newer);
      assertThat(data).doesNotExist();
    }
  }

  /** The port has no server. */
  @Test
  void aDatabaseThatCannotBeReachedIsNamedInOneLine() {
    var settings =
        Map.of(
            "DATABASE_URL",
            "postgresql://u:hidden@127.0.0.1:1/x",
            "SAFECONDUCT_MASTER_KEY",
            "a master key of the tests, long enough",
            "DATA_DIR",
            folder.toString());
    for (CommandRun run :
        List.of(
            CommandRun.upgradeCheck(settings),
            CommandRun.auditVerify(settings),
            CommandRun.accept(settings, "--size=1"))) {
      assertThat(run.status()).as(run.toString()).isPositive();
      assertThat(run.err())
          .as(run.toString())
          .contains("The database postgresql://127.0.0.1:1/x cannot be reached: Connection to ")
          .hasLineCount(1)
          .doesNotContain("hidden");
    }
    assertThat(folder).isEmptyDirectory();
  }

  /** Without the words of the library that migrates tables, which has options of its own. */
  @Test
  void aDatabaseWithoutRightsIsNamedInOneLine() throws Exception {
    EachStore kind = EachStore.POSTGRES;
    Map<String, String> settings = new HashMap<>(kind.settings());
    String url = String.valueOf(settings.get("DATABASE_URL"));
    // Roles belong to all databases of the server.
    String role = "stranger_" + UUID.randomUUID().toString().replace("-", "");
    String stranger = url.replaceFirst("//[^@/]*@", "//" + role + "@");
    try (Connection connection = kind.connection(settings);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE ROLE " + role + " LOGIN");
      try {
        settings.put("DATABASE_URL", stranger);
        CommandRun run = CommandRun.auditVerify(settings);
        assertThat(run.err())
            .isEqualToIgnoringNewLines(
                "The log cannot be checked: The database cannot be read: ERROR: permission denied"
                    + " for table schema_history");
        assertThatThrownBy(() -> Database.open(StoreConfig.postgres(stranger)))
            .isInstanceOf(StoreFault.class)
            .hasMessage(
                "The database cannot be read: ERROR: permission denied for table schema_history");
      } finally {
        statement.execute("DROP ROLE " + role);
      }
    }
  }

  @Test
  void theReportNamesStepsCostsAndTheWayBack() {
    var step =
        new UpgradePlan.Step("2", "Adds a column.", List.of("audit"), List.of("A: it is B now."));
    var plan = new UpgradePlan("1", List.of(step), 50 << 20, OptionalLong.of(90 << 20));
    assertThat(plan.lacksSpace()).isTrue();
    var text = new StringWriter();
    UpgradeCheckCommand.print(plan, StoreConfig.sqlite(folder), new PrintWriter(text, true));
    assertThat(text.toString().lines())
        .contains(
            "Schema: 1. The first start brings it to 2:",
            "  2  Adds a column.",
            "       Rewrites: audit.",
            "       Setting A: it is B now.",
            "At most 50 MiB are rewritten: about 3 s on a slow disk, by estimate, and 100 MiB of"
                + " free space (there are 90).",
            "Make one first: safeconduct backup FOLDER");
    var postgres = StoreConfig.postgres("postgresql://u@localhost/x");
    var empty = new UpgradePlan("1", List.of(), 0, OptionalLong.empty());
    assertThat(empty.lacksSpace()).isFalse();
    var other = new StringWriter();
    UpgradeCheckCommand.print(
        new UpgradePlan("1", List.of(step), 0, OptionalLong.empty()),
        postgres,
        new PrintWriter(other, true));
    assertThat(other.toString()).contains("No table is rewritten", "pg_dump");
  }
}
