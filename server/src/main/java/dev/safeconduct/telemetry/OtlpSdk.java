package dev.safeconduct.telemetry;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdkBuilder;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Configures OpenTelemetry's SDK. The settings of this service take precedence over the process's
 * environment, which may have further ones; both take precedence over the defaults here. The class
 * is not loaded when nothing is exported.
 */
final class OtlpSdk {
  /** Bounded, so that a slow, silent or unreachable collector only loses data. */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "otel.bsp.max.queue.size", "8192",
          "otel.bsp.schedule.delay", "1000",
          "otel.bsp.export.timeout", "5000",
          "otel.blrp.max.queue.size", "2048",
          "otel.blrp.schedule.delay", "1000",
          "otel.blrp.export.timeout", "5000",
          "otel.exporter.otlp.timeout", "5000",
          "otel.span.attribute.value.length.limit", "1024",
          // The stack trace of an exception is an attribute of its log record.
          "otel.attribute.value.length.limit", "16384");

  private static final String ATTRIBUTES = "OTEL_RESOURCE_ATTRIBUTES";

  private OtlpSdk() {}

  /**
   * Opens the SDK.
   *
   * @param version of this service
   * @param counts receives what the SDK counts of its own work
   * @param metrics the values to export
   * @throws ConfigurationException when it cannot read a setting
   */
  static OpenTelemetrySdk open(
      OtlpConfig config, String version, ExportCounts counts, Supplier<MetricSnapshots> metrics) {
    Map<String, String> settings = properties(config, version);
    var exported = new MetricExport(metrics);
    AutoConfiguredOpenTelemetrySdkBuilder builder =
        AutoConfiguredOpenTelemetrySdk.builder()
            .disableShutdownHook()
            .addPropertiesSupplier(() -> DEFAULTS)
            .addPropertiesCustomizer(_ -> settings)
            .addResourceCustomizer((resource, _) -> exported.of(resource))
            .addMeterProviderCustomizer((meters, _) -> meters.registerMetricReader(counts))
            .addMetricReaderCustomizer((reader, _) -> exported.by(reader));
    return builder.build().getOpenTelemetrySdk();
  }

  /** Returns the reason why it cannot be opened, if any; without a full stop. */
  static Optional<String> fault(OtlpConfig config) {
    try {
      open(config, "0", new ExportCounts(), MetricSnapshots::new).close();
      return Optional.empty();
    } catch (ConfigurationException e) {
      Throwable cause = e.getCause() instanceof IllegalArgumentException ? e.getCause() : e;
      return Optional.of(String.valueOf(cause.getMessage()).replaceFirst("\\.+$", ""));
    }
  }

  private static Map<String, String> properties(OtlpConfig config, String version) {
    var properties = new HashMap<String, String>();
    config
        .settings()
        .forEach((name, value) -> {
          // The SDK decodes headers as form data, where a plus sign is a space.
          String text =
              name.endsWith("_HEADERS") ? value.reveal().replace("+", "%2B") : value.reveal();
          properties.put(property(name), text);
        });
    for (OtlpConfig.Signal signal : OtlpConfig.Signal.values()) {
      properties.put(
          "otel." + signal.wire() + ".exporter",
          config.exported().contains(signal) ? "otlp" : "none");
    }
    // The last of two attributes with the same name counts: the operator's value takes precedence.
    String ours = "service.version=" + version + ",service.instance.id=" + UUID.randomUUID();
    properties.merge(property(ATTRIBUTES), ours, (given, own) -> own + "," + given);
    return properties;
  }

  private static String property(String variable) {
    return variable.toLowerCase(Locale.ROOT).replace('_', '.');
  }
}
