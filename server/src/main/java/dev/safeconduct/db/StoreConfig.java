package dev.safeconduct.db;

import java.nio.file.Path;

/** The configuration of the database. */
public sealed interface StoreConfig {
  /** SQLite in a folder that one process at a time may serve. */
  record Sqlite(Path dataDir) implements StoreConfig {}

  /**
   * PostgreSQL, shared by any number of nodes.
   *
   * @param databaseUrl {@code postgresql://user:password@host:port/database?sslmode=…}
   */
  record Postgres(String databaseUrl) implements StoreConfig {
    /** Returns the text form without the password. */
    @Override
    public String toString() {
      return "Postgres[" + PostgresUrl.parse(databaseUrl).shown() + "]";
    }
  }

  static StoreConfig sqlite(Path dataDir) {
    return new Sqlite(dataDir);
  }

  static StoreConfig postgres(String databaseUrl) {
    return new Postgres(databaseUrl);
  }
}
