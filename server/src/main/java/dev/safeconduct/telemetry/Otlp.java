package dev.safeconduct.telemetry;

import dev.safeconduct.config.Background;
import dev.safeconduct.telemetry.OtlpConfig.Signal;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sends traces, metrics and log lines to an OpenTelemetry collector, as configured. Nobody waits
 * for the collector: what it does not accept in time is dropped and counted.
 */
public final class Otlp implements AutoCloseable {
  private static final Duration LAST_EXPORT = Duration.ofSeconds(3);

  private final @Nullable OpenTelemetrySdk sdk;
  private final @Nullable LogExport logs;
  private final Traces traces;

  private Otlp(@Nullable OpenTelemetrySdk sdk, @Nullable LogExport logs, Traces traces) {
    this.sdk = sdk;
    this.logs = logs;
    this.traces = traces;
  }

  /**
   * Opens the exporters of the configured signals; with none, no class of OpenTelemetry's SDK is
   * loaded.
   *
   * @param version of this service
   * @param metrics which are exported, and which show what was dropped
   */
  public static Otlp open(OtlpConfig config, String version, Metrics metrics) {
    if (config.exported().isEmpty()) {
      count(metrics, Otlp::nothing, Otlp::nothing);
      return new Otlp(null, null, Traces.off());
    }
    var counts = new ExportCounts();
    OpenTelemetrySdk sdk = OtlpSdk.open(config, version, counts, metrics::snapshots);
    count(metrics, counts::exported, counts::dropped);
    boolean hasLogs = config.exported().contains(Signal.LOGS);
    return new Otlp(
        sdk,
        hasLogs ? LogExport.begin(sdk.getLogsBridge()) : null,
        config.exported().contains(Signal.TRACES) ? Traces.of(sdk) : Traces.off());
  }

  private static void count(
      Metrics metrics, Supplier<Map<String, Long>> exported, Supplier<Map<String, Long>> dropped) {
    metrics.growing(
        "safeconduct_telemetry_exported",
        "Spans, log records and metrics that the collector accepted",
        "signal",
        exported);
    metrics.growing(
        "safeconduct_telemetry_dropped",
        "Spans, log records and metrics that the collector did not take in time, or refused",
        "signal",
        dropped);
  }

  private static Map<String, Long> nothing() {
    return Arrays.stream(Signal.values()).collect(Collectors.toMap(Signal::wire, _ -> 0L));
  }

  public Traces traces() {
    return traces;
  }

  /** Sends what is queued and the last metrics, for a few seconds at most. */
  @Override
  public void close() {
    if (logs != null) {
      logs.end();
    }
    if (sdk != null) {
      // The call itself waits for an export of metrics that is under way.
      Background ending =
          Background.named(
              "otlp-end", () -> sdk.shutdown().join(LAST_EXPORT.toMillis(), TimeUnit.MILLISECONDS));
      ending.start();
      boolean _ = ending.awaitEnd(LAST_EXPORT);
    }
  }
}
