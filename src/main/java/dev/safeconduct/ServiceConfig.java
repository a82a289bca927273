package dev.safeconduct;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.signing.MasterKey;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Everything the environment says, read once.
 *
 * @param dataDir where SQLite, the master key file and the first-run file live
 * @param databaseUrl PostgreSQL in place of SQLite
 * @param adminToken opens every route; at least 24 characters; made at first start when absent
 * @param masterKey seals secrets at rest; a file in {@code dataDir} serves when absent
 * @param auditLogPublic whether anybody may read the Merkle log's checkpoints and tiles
 * @param failedAuthPerMinute how many wrong credentials one address may send; 0 for no limit
 */
record ServiceConfig(
    HttpConfig http,
    Path dataDir,
    Optional<Secret> databaseUrl,
    Optional<Secret> adminToken,
    Optional<Secret> masterKey,
    int failedAuthPerMinute,
    boolean auditLogPublic) {
  private static final int MIN_ADMIN_TOKEN = 24;

  /**
   * Reads the environment.
   *
   * @throws dev.safeconduct.config.ConfigFault listing everything that does not fit
   */
  static ServiceConfig from(Env env) {
    ServiceConfig config =
        new ServiceConfig(
            HttpConfig.from(env),
            Path.of(env.string("DATA_DIR", "./data")),
            env.secret("DATABASE_URL", 1),
            env.secret("ADMIN_TOKEN", MIN_ADMIN_TOKEN),
            env.secret("SAFECONDUCT_MASTER_KEY", MasterKey.MIN_LENGTH),
            env.integer("RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE", 60, 0, 1_000_000),
            env.bool("AUDIT_LOG_PUBLIC", true));
    if (config.databaseUrl().isPresent()) {
      if (!config.databaseUrl().get().reveal().startsWith("postgresql://")
          && !config.databaseUrl().get().reveal().startsWith("postgres://")) {
        env.fault("DATABASE_URL", "must begin with postgresql://");
      }
      if (config.masterKey().isEmpty()) {
        env.fault(
            "SAFECONDUCT_MASTER_KEY",
            "is required with DATABASE_URL: the keys live in the database, and every node must"
                + " open them");
      }
    }
    env.check();
    return config;
  }
}
