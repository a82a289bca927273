package dev.safeconduct.app;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import dev.safeconduct.db.PostgresUrl;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where data is stored, and the keys that seal and sign it.
 *
 * @param dataDir where SQLite, the master key file and the first-run file are
 * @param databaseUrl PostgreSQL in place of SQLite
 * @param mostClockDifference by how much this node's clock may differ from PostgreSQL's
 */
public record StorageConfig(
    Path dataDir, Optional<Secret> databaseUrl, Duration mostClockDifference, KeyConfig keys) {
  static StorageConfig from(Env env) {
    Path dataDir = dataDir(env);
    var storage =
        new StorageConfig(
            dataDir,
            env.secret("DATABASE_URL", 1),
            Duration.ofMillis(
                env.integer(
                    "MAX_CLOCK_DIFFERENCE_MS",
                    (int) StoreConfig.CLOCK_DIFFERENCE.toMillis(),
                    100,
                    60_000)),
            KeyConfig.from(env, dataDir));
    if (storage.databaseUrl().isPresent()) {
      try {
        PostgresUrl _ = PostgresUrl.parse(storage.databaseUrl().get().reveal());
      } catch (StoreFault e) {
        env.fault(String.valueOf(e.getMessage()));
      }
      if (!storage.keys().masterKey().isShared()) {
        env.fault(
            "SAFECONDUCT_MASTER_KEY",
            "is required with DATABASE_URL: the keys are in the database, and every node must"
                + " open them");
      }
    }
    return storage;
  }

  /** The data folder, for commands that need none of the other settings. */
  public static Path dataDir(Env env) {
    return Path.of(env.string("DATA_DIR", "./data"));
  }

  /** The database, for commands that need none of the other settings. */
  public static StoreConfig database(Env env) {
    Path dataDir = dataDir(env);
    return env.string("DATABASE_URL")
        .map(StoreConfig::postgres)
        .orElseGet(() -> StoreConfig.sqlite(dataDir));
  }

  StoreConfig database() {
    return databaseUrl
        .<StoreConfig>map(url ->
            new StoreConfig.Postgres(url.reveal(), Optional.of(dataDir), mostClockDifference))
        .orElseGet(() -> StoreConfig.sqlite(dataDir));
  }
}
