package dev.safeconduct.telemetry;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Configures OpenTelemetry's SDK. The settings of this service take precedence over the process's
 * environment, which may have further ones; both take precedence over the defaults here. The class
 * is not loaded when tracing is off.
 */
final class TraceSdk {
  /** Bounded, so that a slow, silent or unreachable collector only loses spans. */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "otel.bsp.max.queue.size", "8192",
          "otel.bsp.schedule.delay", "1000",
          "otel.bsp.export.timeout", "5000",
          "otel.exporter.otlp.timeout", "5000",
          "otel.span.attribute.value.length.limit", "1024");

  private static final String ATTRIBUTES = "OTEL_RESOURCE_ATTRIBUTES";
  private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";

  private TraceSdk() {}

  /**
   * Opens the SDK.
   *
   * @param version of this service
   * @throws ConfigurationException when it cannot read a setting
   */
  static OpenTelemetrySdk open(TraceConfig config, String version) {
    Map<String, String> settings = properties(config, version);
    return AutoConfiguredOpenTelemetrySdk.builder()
        .disableShutdownHook()
        .addPropertiesSupplier(() -> DEFAULTS)
        .addPropertiesCustomizer(_ -> settings)
        .build()
        .getOpenTelemetrySdk();
  }

  /** Returns the reason why it cannot be opened, if any; without a full stop. */
  static Optional<String> fault(TraceConfig config) {
    try {
      open(config, "0").close();
      return Optional.empty();
    } catch (ConfigurationException e) {
      Throwable cause = e.getCause() instanceof IllegalArgumentException ? e.getCause() : e;
      return Optional.of(String.valueOf(cause.getMessage()).replaceFirst("\\.+$", ""));
    }
  }

  private static Map<String, String> properties(TraceConfig config, String version) {
    var properties = new HashMap<String, String>();
    config.settings().forEach((name, value) -> properties.put(property(name), value.reveal()));
    // The SDK decodes values as form data, where a plus sign is a space.
    properties.computeIfPresent(property(HEADERS), (_, pairs) -> pairs.replace("+", "%2B"));
    properties.put("otel.metrics.exporter", "none");
    properties.put("otel.logs.exporter", "none");
    // The last of two attributes with the same name counts: the operator's value takes precedence.
    String ours = "service.version=" + version + ",service.instance.id=" + UUID.randomUUID();
    properties.merge(property(ATTRIBUTES), ours, (given, own) -> own + "," + given);
    return properties;
  }

  private static String property(String variable) {
    return variable.toLowerCase(Locale.ROOT).replace('_', '.');
  }
}
