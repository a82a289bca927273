package dev.safeconduct.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
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

/** One of the two databases, opened and migrated. */
public sealed interface Database extends AutoCloseable permits SqliteDatabase, PostgresDatabase {
  /**
   * Opens the database and migrates its tables.
   *
   * @throws StoreFault when it cannot be reached, is in use, or is newer than this program
   */
  static Database open(StoreConfig config) {
    return switch (config) {
      case StoreConfig.Sqlite sqlite -> SqliteDatabase.open(sqlite.dataDir());
      case StoreConfig.Postgres postgres -> PostgresDatabase.open(postgres.databaseUrl());
    };
  }

  /** Opens read-only connections, also while a service is running; nothing is migrated. */
  static HikariDataSource reading(StoreConfig config) {
    return switch (config) {
      case StoreConfig.Sqlite sqlite -> SqliteDatabase.reading(sqlite.dataDir());
      case StoreConfig.Postgres postgres -> PostgresDatabase.reading(postgres.databaseUrl());
    };
  }

  /** Opens a connection for one statement, also while a service is running. */
  static Connection writing(StoreConfig config) throws SQLException {
    return switch (config) {
      case StoreConfig.Sqlite sqlite -> SqliteDatabase.writing(sqlite.dataDir());
      case StoreConfig.Postgres postgres -> PostgresDatabase.writing(postgres.databaseUrl());
    };
  }

  /** Opens the connection of the single writer thread; its commits are durable on disk. */
  Connection openWriter() throws SQLException;

  Reads reads();

  /** Returns the state that reads and writes share. */
  Availability availability();

  /**
   * Returns SQL for the position of the ASCII text in the column of bytes: 1-based, 0 if absent.
   */
  String place(String text, String column);

  /** Returns SQL that makes the transaction overwrite erased bytes, where the database needs it. */
  Optional<String> writeOver();

  @Override
  void close();

  static void migrate(DataSource source, String folder) {
    try {
      Flyway flyway =
          Flyway.configure()
              .dataSource(source)
              .locations("classpath:migrations/" + folder)
              .table("schema_history")
              .load();
      refuseNewer(flyway.info());
      flyway.migrate();
    } catch (FlywayException e) {
      throw new StoreFault("The database could not be brought up to date: " + e.getMessage(), e);
    }
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

  static HikariDataSource pool(DataSource source, int size) {
    return pool(source, size, "store-readers", true);
  }

  static HikariDataSource pool(DataSource source, int size, String name, boolean readOnly) {
    var config = new HikariConfig();
    config.setDataSource(source);
    config.setPoolName(name);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.setReadOnly(readOnly);
    config.setConnectionTimeout(2_000);
    config.setValidationTimeout(1_000);
    config.setInitializationFailTimeout(-1); // the caller has just connected
    return new HikariDataSource(config);
  }
}
