package dev.safeconduct.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.GaugeData;
import io.opentelemetry.sdk.metrics.data.HistogramData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.SumData;
import io.opentelemetry.sdk.metrics.data.SummaryData;
import io.opentelemetry.sdk.metrics.data.SummaryPointData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.resources.Resource;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives OpenTelemetry's exporter the values of {@code /metrics}, with the same names and labels.
 * They are read when they are exported, so recording costs the same with and without a collector.
 */
final class MetricExport implements CollectionRegistration {
  private static final InstrumentationScopeInfo SCOPE =
      InstrumentationScopeInfo.create("dev.safeconduct");
  private static final AggregationTemporality SINCE_START = AggregationTemporality.CUMULATIVE;

  private final Supplier<MetricSnapshots> metrics;
  private final long startedNanos =
      TimeUnit.MILLISECONDS.toNanos(ManagementFactory.getRuntimeMXBean().getStartTime());
  private volatile Resource resource = Resource.empty();

  MetricExport(Supplier<MetricSnapshots> metrics) {
    this.metrics = metrics;
  }

  /** Names the service that is described; returns it unchanged. */
  Resource of(Resource service) {
    resource = service;
    return service;
  }

  /** Returns the reader, which exports these metrics in place of those of the SDK itself. */
  MetricReader by(MetricReader reader) {
    return new Redirected(reader, this);
  }

  @Override
  public Collection<MetricData> collectAllMetrics() {
    Instant now = Instant.now();
    long at = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    var all = new ArrayList<MetricData>();
    for (MetricSnapshot each : metrics.get()) {
      // A metric with labels has no values before its first event.
      Metric metric = each.getDataPoints().isEmpty() ? null : metric(each, at);
      if (metric != null) {
        all.add(metric);
      }
    }
    return all;
  }

  private @Nullable Metric metric(MetricSnapshot metric, long at) {
    return switch (metric) {
      case CounterSnapshot counter ->
          data(
              counter,
              MetricDataType.DOUBLE_SUM,
              SumData.createDoubleSumData(
                  true,
                  SINCE_START,
                  counter.getDataPoints().stream()
                      .map(point -> point(point.getLabels(), point.getValue(), at))
                      .toList()));
      case GaugeSnapshot gauge ->
          data(
              gauge,
              MetricDataType.DOUBLE_GAUGE,
              GaugeData.createDoubleGaugeData(
                  gauge.getDataPoints().stream()
                      .map(point -> point(point.getLabels(), point.getValue(), at))
                      .toList()));
      case InfoSnapshot info ->
          data(
              info,
              MetricDataType.DOUBLE_GAUGE,
              GaugeData.createDoubleGaugeData(
                  info.getDataPoints().stream()
                      .map(point -> point(point.getLabels(), 1, at))
                      .toList()));
      case HistogramSnapshot histogram ->
          data(
              histogram,
              MetricDataType.HISTOGRAM,
              HistogramData.create(
                  SINCE_START,
                  histogram.getDataPoints().stream().map(point -> point(point, at)).toList()));
      case SummarySnapshot summary ->
          data(
              summary,
              MetricDataType.SUMMARY,
              SummaryData.create(
                  summary.getDataPoints().stream()
                      .map(point ->
                          SummaryPointData.create(
                              startedNanos,
                              at,
                              attributes(point.getLabels()),
                              point.getCount(),
                              point.getSum(),
                              List.of()))
                      .toList()));
      default -> null; // This service has no metrics of other types.
    };
  }

  private DoublePointData point(Labels labels, double value, long at) {
    return DoublePointData.create(startedNanos, at, attributes(labels), value, List.of());
  }

  private HistogramPointData point(HistogramSnapshot.HistogramDataPointSnapshot point, long at) {
    ClassicHistogramBuckets buckets = point.getClassicBuckets();
    var bounds = new ArrayList<Double>();
    var counts = new ArrayList<Long>();
    for (int i = 0; i < buckets.size(); i++) {
      counts.add(buckets.getCount(i));
      if (Double.isFinite(buckets.getUpperBound(i))) {
        bounds.add(buckets.getUpperBound(i));
      }
    }
    return HistogramPointData.create(
        startedNanos,
        at,
        attributes(point.getLabels()),
        point.getSum(),
        false,
        0,
        false,
        0,
        bounds,
        counts);
  }

  private static Attributes attributes(Labels labels) {
    AttributesBuilder attributes = Attributes.builder();
    labels.forEach(label -> attributes.put(label.getName(), label.getValue()));
    return attributes.build();
  }

  private Metric data(MetricSnapshot metric, MetricDataType type, Data<?> data) {
    String name = metric.getMetadata().getPrometheusName().replaceFirst("_total$", "");
    String unit = name.endsWith("_seconds") ? "s" : name.endsWith("_bytes") ? "By" : "";
    if (metric instanceof InfoSnapshot && !name.endsWith("_info")) {
      name += "_info";
    }
    String help = metric.getMetadata().getHelp();
    return new Metric(resource, SCOPE, name, help == null ? "" : help, unit, type, data);
  }

  /** The components have the names of the interface's methods. */
  private record Metric(
      Resource getResource,
      InstrumentationScopeInfo getInstrumentationScopeInfo,
      String getName,
      String getDescription,
      String getUnit,
      MetricDataType getType,
      Data<?> getData)
      implements MetricData {}

  private record Redirected(MetricReader reader, CollectionRegistration metrics)
      implements MetricReader {
    @Override
    public void register(CollectionRegistration ofSdk) {
      reader.register(metrics);
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType instrumentType) {
      return reader.getAggregationTemporality(instrumentType);
    }

    @Override
    public CompletableResultCode forceFlush() {
      return reader.forceFlush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return reader.shutdown();
    }
  }
}
