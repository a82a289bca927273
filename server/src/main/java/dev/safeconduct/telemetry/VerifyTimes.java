package dev.safeconduct.telemetry;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBucket;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Histograms of the time of verifications and of their stages. */
public final class VerifyTimes {
  /** In seconds. */
  private static final double[] BOUNDS = {
    50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3,
    1, 2.5, 5
  };

  private static final double NANOS = 1e9;

  private final Histogram whole;
  private final Histogram stages;
  private final boolean exemplars;
  private final Map<String, DistributionDataPoint> byStage = new ConcurrentHashMap<>();

  VerifyTimes(PrometheusRegistry registry, boolean exemplars) {
    this.exemplars = exemplars;
    Histogram.Builder builder =
        Histogram.builder()
            .name("safeconduct_verify_duration_seconds")
            .help("Time of verify requests that got a decision, until the answer is sent")
            .classicOnly()
            .classicUpperBounds(BOUNDS);
    if (!exemplars) { // the library would look for a tracer of its own
      builder.withoutExemplars();
    }
    this.whole = builder.register(registry);
    this.stages =
        Histogram.builder()
            .name("safeconduct_verify_stage_seconds")
            .help("Time of a verification's stages, as in Server-Timing")
            .labelNames("stage")
            .classicOnly()
            .classicUpperBounds(BOUNDS)
            .withoutExemplars()
            .register(registry);
  }

  public void stage(String stage, long nanos) {
    DistributionDataPoint known = byStage.get(stage);
    (known == null ? byStage.computeIfAbsent(stage, stages::labelValues) : known)
        .observe(nanos / NANOS);
  }

  /**
   * Records the time of a whole request. If it is traced, the histogram may name the trace as an
   * exemplar (OpenMetrics 1.0).
   */
  public void whole(long nanos) {
    RequestSpan span = exemplars ? RequestSpan.current() : null;
    if (span != null && span.isTraced()) {
      whole.observeWithExemplar(
          nanos / NANOS, Labels.of("span_id", span.spanId(), "trace_id", span.traceId()));
    } else {
      whole.observe(nanos / NANOS);
    }
  }

  /**
   * Bounds of the times of whole requests since the start, as text with a unit: at least that part
   * of the requests took no longer.
   *
   * @param most 95 %
   * @param nearlyAll 99 %
   */
  public record Quantiles(long requests, String median, String most, String nearlyAll) {}

  /** Returns the quantiles of whole requests; empty before the first. */
  public Optional<Quantiles> quantiles() {
    return whole.collect().getDataPoints().stream()
        .map(HistogramSnapshot.HistogramDataPointSnapshot::getClassicBuckets)
        .map(buckets ->
            new Quantiles(
                buckets.stream().mapToLong(ClassicHistogramBucket::getCount).sum(),
                bound(buckets, 0.5),
                bound(buckets, 0.95),
                bound(buckets, 0.99)))
        .filter(found -> found.requests() > 0)
        .findFirst();
  }

  private static String bound(ClassicHistogramBuckets buckets, double part) {
    long all = buckets.stream().mapToLong(ClassicHistogramBucket::getCount).sum();
    long seen = 0;
    for (ClassicHistogramBucket bucket : buckets) {
      seen += bucket.getCount();
      if (seen >= part * all && bucket.getUpperBound() <= BOUNDS[BOUNDS.length - 1]) {
        return BigDecimal.valueOf(bucket.getUpperBound())
                .movePointRight(3)
                .stripTrailingZeros()
                .toPlainString()
            + " ms";
      }
    }
    return "more than 5 s";
  }
}
