package dev.safeconduct.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads what OpenTelemetry's SDK counts of its own work: spans, log records and metrics that were
 * exported, and those that were lost because a queue was full or the collector did not accept them.
 */
final class ExportCounts implements MetricReader {
  private static final AttributeKey<Boolean> DROPPED = AttributeKey.booleanKey("dropped");
  private static final AttributeKey<Boolean> SUCCESS = AttributeKey.booleanKey("success");
  private static final AttributeKey<String> TYPE = AttributeKey.stringKey("type");

  private static final Map<String, String> SIGNALS =
      Map.of("span", "traces", "log", "logs", "metric", "metrics");

  private volatile CollectionRegistration sdk = CollectionRegistration.noop();

  /** Returns the number of lost items by signal. */
  Map<String, Long> dropped() {
    return counted(false);
  }

  /** Returns the number of items by signal that a collector has accepted. */
  Map<String, Long> exported() {
    return counted(true);
  }

  private synchronized Map<String, Long> counted(boolean success) {
    var counts = new TreeMap<String, Long>();
    SIGNALS.values().forEach(signal -> counts.put(signal, 0L));
    for (MetricData metric : sdk.collectAllMetrics()) {
      for (LongPointData point : metric.getLongSumData().getPoints()) {
        Attributes of = point.getAttributes();
        switch (metric.getName()) {
          case "processedSpans" -> add(counts, "traces", point, !success && is(of, DROPPED, true));
          case "processedLogs" -> add(counts, "logs", point, !success && is(of, DROPPED, true));
          case "otlp.exporter.exported" ->
              add(
                  counts,
                  SIGNALS.getOrDefault(String.valueOf(of.get(TYPE)), "other"),
                  point,
                  is(of, SUCCESS, success));
          default -> {}
        }
      }
    }
    return counts;
  }

  private static boolean is(Attributes attributes, AttributeKey<Boolean> key, boolean value) {
    return Boolean.valueOf(value).equals(attributes.get(key));
  }

  private static void add(
      Map<String, Long> counts, String signal, LongPointData point, boolean isMeant) {
    if (isMeant) {
      counts.merge(signal, point.getValue(), Long::sum);
    }
  }

  @Override
  public void register(CollectionRegistration registration) {
    sdk = registration;
  }

  @Override
  public AggregationTemporality getAggregationTemporality(InstrumentType instrumentType) {
    return AggregationTemporality.CUMULATIVE;
  }

  @Override
  public CompletableResultCode forceFlush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}
