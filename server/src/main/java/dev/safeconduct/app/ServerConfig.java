package dev.safeconduct.app;

import dev.safeconduct.config.Env;
import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.passport.issue.IssueConfig;

/** All settings, one record for each concern. */
public record ServerConfig(
    HttpConfig http,
    StorageConfig storage,
    OperatorConfig operator,
    RateLimitConfig limits,
    AuditConfig audit,
    NotificationConfig notifications,
    IssueConfig issue,
    TelemetryConfig telemetry) {
  /**
   * Reads the settings.
   *
   * @throws dev.safeconduct.config.ConfigFault listing every setting that is not valid
   */
  public static ServerConfig from(Env env) {
    HttpConfig http = HttpConfig.from(env);
    var config =
        new ServerConfig(
            http,
            StorageConfig.from(env),
            OperatorConfig.from(env, http.baseUrl()),
            RateLimitConfig.from(env),
            AuditConfig.from(env),
            NotificationConfig.from(env, http.isLoopbackOnly()),
            IssueConfig.from(env),
            TelemetryConfig.from(env));
    env.refuseUnknown();
    env.check();
    return config;
  }
}
