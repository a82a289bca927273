package dev.safeconduct.store;

import dev.safeconduct.audit.StoredLog;
import dev.safeconduct.replay.Past;
import dev.safeconduct.signing.SealedKey;
import java.util.List;

/**
 * Reads the log of a store that a running service may be using; changes nothing and takes no lock.
 */
public final class LogReader implements AutoCloseable {
  private final Reads reads;
  private final AutoCloseable source;

  private LogReader(Reads reads, AutoCloseable source) {
    this.reads = reads;
    this.source = source;
  }

  /**
   * Opens it.
   *
   * @throws StoreFault when there is no store
   */
  public static LogReader open(StoreConfig config) {
    var pool =
        switch (config) {
          case StoreConfig.Sqlite sqlite -> SqliteDatabase.reading(sqlite.dataDir());
          case StoreConfig.Postgres postgres -> PostgresDatabase.reading(postgres.databaseUrl());
        };
    return new LogReader(new Reads(pool), pool);
  }

  public StoredLog log() {
    return new SqlStoredLog(reads);
  }

  /** The decisions and passports, to be judged again. */
  public Past past() {
    return new SqlPast(reads);
  }

  /** The signing keys with their public halves; the private ones stay sealed. */
  public List<SealedKey> keys() {
    return SqlVault.keys(reads);
  }

  @Override
  public void close() {
    try {
      source.close();
    } catch (Exception e) {
      throw new StoreFault("The store cannot be closed", e);
    }
  }
}
