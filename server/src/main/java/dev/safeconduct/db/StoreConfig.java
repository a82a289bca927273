package dev.safeconduct.db;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The configuration of the database. */
public sealed interface StoreConfig {
  /** By how much a node's clock may differ from the database's, unless a setting says otherwise. */
  Duration CLOCK_DIFFERENCE = Duration.ofSeconds(2);

  /** The folder for what a node remembers of the database; empty for none. */
  Optional<Path> folder();

  Duration mostClockDifference();

  /** SQLite in a folder that one process at a time may serve. */
  record Sqlite(Path dataDir) implements StoreConfig {
    @Override
    public Optional<Path> folder() {
      return Optional.of(dataDir);
    }

    @Override
    public Duration mostClockDifference() {
      return CLOCK_DIFFERENCE; // it has no clock of its own
    }
  }

  /**
   * PostgreSQL, shared by any number of nodes.
   *
   * @param databaseUrl {@code postgresql://user:password@host:port/database?sslmode=…}
   */
  record Postgres(String databaseUrl, Optional<Path> folder, Duration mostClockDifference)
      implements StoreConfig {
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
    return new Postgres(databaseUrl, Optional.empty(), CLOCK_DIFFERENCE);
  }
}
