package dev.safeconduct.db;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.internal.exception.FlywayMigrateException;

/** Brings the tables of a database up to date, and tells how far they are. */
final class Migrations {
  static final String SQLITE = "migrations/sqlite";
  static final String POSTGRESQL = "migrations/postgresql";

  private static final String HISTORY = "schema_history";

  private final Flyway flyway;

  /**
   * Names the migrations of a database.
   *
   * @param folders where they are in the class path, for example {@code migrations/sqlite}
   */
  Migrations(DataSource source, String... folders) {
    flyway =
        Flyway.configure()
            .dataSource(source)
            .locations(Arrays.stream(folders).map("classpath:"::concat).toArray(String[]::new))
            .table(HISTORY)
            // One transaction for all of them: after a failure the older program can start.
            .group(true)
            // The scripts have none, and to look for them takes as long as all else that is read.
            .placeholderReplacement(false)
            .ignoreMigrationPatterns("*:pending")
            .load();
  }

  /** Returns the folder with the migrations of a database. */
  static String folder(StoreConfig config) {
    return switch (config) {
      case StoreConfig.Sqlite _ -> SQLITE;
      case StoreConfig.Postgres _ -> POSTGRESQL;
    };
  }

  /**
   * Runs the migrations that are pending: all of them or, if one fails, none.
   *
   * @throws StoreFault when the database is newer than this program, or a migration fails
   */
  void run() {
    try {
      flyway.migrate();
    } catch (FlywayException e) {
      // It refuses a newer database too, but does not say what to do. To look for one before would
      // read the scripts twice at every start.
      read();
      throw new StoreFault("The database could not be brought up to date: " + shown(e), e);
    }
  }

  /**
   * Makes sure that this program knows the tables.
   *
   * @throws StoreFault when the database is newer than this program, or cannot be read
   */
  void refuseNewer() {
    read();
  }

  /**
   * Returns the migrations that this program knows, with their state in the database.
   *
   * @throws StoreFault when the database is newer than this program, or cannot be read
   */
  MigrationInfoService read() {
    try {
      MigrationInfoService info = flyway.info();
      refuseNewer(info);
      return info;
    } catch (FlywayException e) {
      throw new StoreFault("The database cannot be read: " + shown(e), e);
    }
  }

  /**
   * Makes sure that the migrations that ran are the ones of this program.
   *
   * @throws StoreFault when one of them is another one
   */
  void validate() {
    try {
      flyway.validate();
    } catch (FlywayException e) {
      throw new StoreFault(
          "The database was not made by the migrations of this program: " + e.getMessage(), e);
    }
  }

  /** Returns the database's own message; Flyway wraps it in a table with its own advice. */
  private static String shown(FlywayException fault) {
    String message = String.valueOf(fault.getMessage()).lines().findFirst().orElse("");
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException && cause.getMessage() != null) {
        message = cause.getMessage().lines().findFirst().orElse("");
      }
    }
    return fault instanceof FlywayMigrateException failed
        ? failed.getMigration().getScript() + ": " + message
        : message;
  }

  private static void refuseNewer(MigrationInfoService info) {
    Optional<MigrationVersion> newest =
        Arrays.stream(info.all())
            .filter(migration -> !migration.getState().isResolved())
            .map(MigrationInfo::getVersion)
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder());
    if (newest.isPresent()) {
      throw new StoreFault(
          "The database was written by a newer version of Safeconduct: its schema is "
              + newest.get()
              + ", which this version does not know. Start the newer version, or restore the backup"
              + " that you made before the upgrade.");
    }
  }
}
