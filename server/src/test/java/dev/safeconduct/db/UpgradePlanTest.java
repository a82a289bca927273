package dev.safeconduct.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.util.DriverDataSource;
import dev.safeconduct.testkit.EachStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sqlite.SQLiteDataSource;

/** What an upgrade does to the tables: announced, and all of it or nothing. */
final class UpgradePlanTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set before each test
  private Path folder;

  private static String[] folders(StoreConfig config, String... more) {
    return Stream.concat(Stream.of(Migrations.folder(config)), Stream.of(more))
        .toArray(String[]::new);
  }

  private static String later(StoreConfig config) {
    return Migrations.folder(config).replace("migrations", "upgrade");
  }

  private static Path resources(String name) {
    return Path.of(URI.create(String.valueOf(UpgradePlanTest.class.getResource(name))));
  }

  /** The number of tables with this name. */
  private static long tables(StoreConfig config, String name) {
    String catalogue =
        config instanceof StoreConfig.Sqlite
            ? "SELECT count(*) FROM sqlite_schema WHERE name = :name"
            : "SELECT count(*) FROM pg_class WHERE relname = :name";
    try (var source = Database.unchecked(config)) {
      return new Reads(source, new Availability()).number(Sql.of(catalogue, name));
    }
  }

  private static DataSource writable(StoreConfig config) {
    return switch (config) {
      case StoreConfig.Sqlite sqlite ->
          new DriverDataSource(
              "jdbc:sqlite:" + sqlite.dataDir().resolve("safeconduct.db"),
              "org.sqlite.JDBC",
              new Properties(),
              null,
              null);
      case StoreConfig.Postgres postgres -> {
        PostgresUrl url = PostgresUrl.parse(postgres.databaseUrl());
        Map<String, String> own = url.properties();
        yield new DriverDataSource(
            url.jdbc().getFirst(),
            "org.postgresql.Driver",
            new Properties(),
            own.get("user"),
            "unused");
      }
    };
  }

  private static void migrate(StoreConfig config, String... folders) {
    new Migrations(writable(config), folders).run();
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void anUpgradeIsAnnouncedWhileTheDatabaseIsInUse(EachStore kind) {
    StoreConfig config = kind.emptyStore(folder);
    try (Database _ = Database.open(config)) {
      UpgradePlan today = UpgradePlan.of(config);
      assertThat(today.steps()).isEmpty();
      assertThat(today.target()).isEqualTo(today.schema());
      UpgradePlan plan = UpgradePlan.of(config, folders(config, later(config)));
      assertThat(plan.schema()).isEqualTo(today.schema());
      assertThat(plan.target()).isEqualTo("902");
      assertThat(plan.steps())
          .containsExactly(
              new UpgradePlan.Step(
                  "901",
                  "Adds an index for a test.",
                  List.of("audit"),
                  List.of("OLD_NAME: it is now called NEW_NAME.")),
              new UpgradePlan.Step("902", "Adds a table for a test.", List.of(), List.of()));
      assertThat(plan.rewrittenBytes()).isPositive();
      assertThat(plan.freeBytes().isPresent()).isEqualTo(kind == EachStore.SQLITE);
      assertThat(tables(config, "upgraded")).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void anUpgradeIsDoneWholeOrNotAtAll(EachStore kind) {
    StoreConfig config = kind.emptyStore(folder);
    Database.open(config).close();
    String[] broken = folders(config, later(config), "upgrade/broken");
    assertThatThrownBy(() -> migrate(config, broken))
        .isInstanceOf(StoreFault.class)
        .hasMessageStartingWith("The database could not be brought up to date: V903__broken.sql: ")
        .hasMessageContaining("nothing")
        .hasMessageNotContainingAny("\n");
    assertThat(tables(config, "half")).isZero();
    assertThat(tables(config, "upgraded")).as("an earlier step").isZero();
    assertThat(UpgradePlan.of(config, broken).steps()).hasSize(3);
    Database.open(config).close(); // as the older version
    migrate(config, folders(config, later(config)));
    assertThat(tables(config, "upgraded")).isOne();
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void whatIsNewerOrAlteredOrMissingIsRefused(EachStore kind) throws SQLException {
    StoreConfig config = kind.emptyStore(folder);
    assertThatThrownBy(() -> UpgradePlan.of(config))
        .isInstanceOf(StoreFault.class)
        .hasMessageContaining("There ");
    Database.open(config).close();
    migrate(config, folders(config, later(config)));
    for (Runnable use :
        List.<Runnable>of(
            () -> UpgradePlan.of(config),
            () -> Database.open(config).close(),
            () -> Database.reading(config).close())) {
      assertThatThrownBy(use::run)
          .isInstanceOf(StoreFault.class)
          .hasMessageContaining("newer version of Safeconduct: its schema is 902");
    }
    assertThatThrownBy(() -> Database.writing(config).close()).isInstanceOf(StoreFault.class);
    String[] all = folders(config, later(config));
    assertThat(UpgradePlan.of(config, all).steps()).isEmpty();
    try (Connection connection = writable(config).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE schema_history SET checksum = 1 WHERE version = '902'");
    }
    assertThatThrownBy(() -> UpgradePlan.of(config, all))
        .isInstanceOf(StoreFault.class)
        .hasMessageContaining("not made by the migrations of this program");
  }

  /** A driver's error often has a cause that is not SQL's. */
  @Test
  void aBrokenConnectionIsNamedInTheDriversWords() {
    var source =
        new SQLiteDataSource() {
          @Override
          public Connection getConnection() throws SQLException {
            throw new SQLException("An I/O error occurred.", "08006", new IOException("reset"));
          }
        };
    assertThatThrownBy(() -> new Migrations(source, Migrations.SQLITE).read())
        .isInstanceOf(StoreFault.class)
        .hasMessage("The database cannot be read: An I/O error occurred.");
  }

  /** Statements that read or write the rows of a table that an earlier version made. */
  private static final Pattern COSTLY =
      Pattern.compile(
          "(?i)\\b(?:UPDATE|DELETE FROM|INSERT INTO \\w+[^;]*SELECT[^;]*FROM|INDEX \\w+ ON|ALTER TABLE)"
              + "\\s+(\\w+)");

  @Test
  void everyMigrationSaysWhatItDoesAndWhatItRewrites() throws IOException {
    var summaries = new TreeMap<String, Map<String, UpgradePlan.Step>>();
    for (String database : List.of("sqlite", "postgresql")) {
      var steps = new TreeMap<String, UpgradePlan.Step>();
      try (Stream<Path> files = Files.list(resources("/migrations/" + database))) {
        for (Path file : files.toList()) {
          String script = Files.readString(file);
          var step = UpgradePlan.Step.of(file.getFileName().toString(), script);
          assertThat(step.summary()).as(file.toString()).matches("[A-Z].{15,200}\\.");
          Matcher costly = COSTLY.matcher(script);
          while (costly.find()) {
            if (!script.matches("(?s).*CREATE TABLE " + costly.group(1) + " .*")) {
              assertThat(step.rewrites()).as(file + ": -- Rewrites").contains(costly.group(1));
            }
          }
          steps.put(step.version(), step);
        }
      }
      summaries.put(database, steps);
    }
    Map<?, ?> sqlite = Objects.requireNonNull(summaries.get("sqlite"));
    Map<?, ?> postgresql = Objects.requireNonNull(summaries.get("postgresql"));
    assertThat(sqlite.keySet()).isEqualTo(postgresql.keySet());
  }
}
