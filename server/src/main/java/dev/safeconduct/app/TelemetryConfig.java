package dev.safeconduct.app;

import dev.safeconduct.config.Env;
import dev.safeconduct.telemetry.OtlpConfig;
import java.util.Set;

/**
 * Settings of traces, metrics and logs.
 *
 * @param otlp what is exported to an OpenTelemetry collector
 * @param logFormat {@code text} or {@code json}
 */
record TelemetryConfig(OtlpConfig otlp, String logFormat) {
  private static final Set<String> LOG_FORMATS = Set.of("text", "json");

  static TelemetryConfig from(Env env) {
    // The logging library reads LOG_FORMAT itself when it writes its first line.
    String logFormat = env.string("LOG_FORMAT", "text");
    if (!LOG_FORMATS.contains(logFormat)) {
      env.fault("LOG_FORMAT", "must be text or json");
    }
    return new TelemetryConfig(OtlpConfig.from(env), logFormat);
  }
}
