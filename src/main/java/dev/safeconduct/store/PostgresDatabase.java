package dev.safeconduct.store;

/** A PostgreSQL database. */
final class PostgresDatabase {
  private PostgresDatabase() {}

  static Database open(String databaseUrl) {
    if (!databaseUrl.isEmpty()) {
      throw new StoreFault(PostgresUrl.parse(databaseUrl).shown() + " cannot be opened yet");
    }
    throw new StoreFault("DATABASE_URL is empty");
  }
}
