package dev.safeconduct.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** One of the two databases, opened and migrated. */
public sealed interface Database extends AutoCloseable permits SqliteDatabase, PostgresDatabase {
  /** Loads the library that migrates tables, beside what else a start does. */
  static void prepare() {
    Flyway _ = Flyway.configure().load();
  }

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

  /**
   * Opens read-only connections, also while a service is running; nothing is migrated.
   *
   * @throws StoreFault when there is no database, it cannot be read, or it is newer than this
   *     program
   */
  static HikariDataSource reading(StoreConfig config) {
    HikariDataSource source = unchecked(config);
    try {
      new Migrations(source, Migrations.folder(config)).refuseNewer();
      return source;
    } catch (StoreFault e) {
      source.close();
      throw e;
    }
  }

  /** Opens read-only connections, whatever tables there are. */
  static HikariDataSource unchecked(StoreConfig config) {
    return switch (config) {
      case StoreConfig.Sqlite sqlite -> SqliteDatabase.reading(sqlite.dataDir());
      case StoreConfig.Postgres postgres -> PostgresDatabase.reading(postgres.databaseUrl());
    };
  }

  /**
   * Opens a connection for one statement, also while a service is running.
   *
   * @throws StoreFault when there is no database, or it is newer than this program
   */
  static Connection writing(StoreConfig config) throws SQLException {
    reading(config).close();
    return switch (config) {
      case StoreConfig.Sqlite sqlite -> SqliteDatabase.writing(sqlite.dataDir());
      case StoreConfig.Postgres postgres -> PostgresDatabase.writing(postgres.databaseUrl());
    };
  }

  /** Opens the connection of the single writer thread; its commits are durable on disk. */
  Connection openWriter() throws SQLException;

  Reads reads();

  /** Returns how many connections of the pool for reading are active, idle, and at most open. */
  Connections connections();

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

  /**
   * The pool of connections that read.
   *
   * @param active connections in use
   * @param idle open connections that are not in use
   * @param most how many may be open
   * @param waiting threads that wait for one
   */
  record Connections(int active, int idle, int most, int waiting) {
    static Connections of(HikariDataSource pool) {
      HikariPoolMXBean state = pool.getHikariPoolMXBean();
      return new Connections(
          state.getActiveConnections(),
          state.getIdleConnections(),
          pool.getMaximumPoolSize(),
          state.getThreadsAwaitingConnection());
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
