package dev.safeconduct.telemetry;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.core.metrics.SummaryWithCallback;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmBufferPoolMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmClassLoadingMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmRuntimeInfoMetric;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The process's metrics: those of the JVM and the process, of each route, and of the features. Both
 * {@code /metrics} and an OpenTelemetry collector get the values from here, so nothing is counted
 * twice.
 */
public final class Metrics {
  private static final double NANOS = 1e9;

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final Queue<RouteMeters> routes = new ConcurrentLinkedQueue<>();
  private final Map<String, Map<String, DoubleSupplier>> labeled = new ConcurrentHashMap<>();
  private final VerifyTimes verifyTimes;

  /**
   * @param version of this service
   * @param exemplars whether requests may be traced, so that histograms can name some traces
   */
  public Metrics(String version, boolean exemplars) {
    JvmBufferPoolMetrics.builder().register(registry);
    JvmClassLoadingMetrics.builder().register(registry);
    JvmGarbageCollectorMetrics.builder().register(registry);
    JvmMemoryMetrics.builder().register(registry);
    JvmRuntimeInfoMetric.builder().register(registry);
    JvmThreadsMetrics.builder().register(registry);
    ProcessMetrics.builder().register(registry);
    Info.builder()
        .name("safeconduct_build_info")
        .help("The version of this service")
        .labelNames("version")
        .register(registry)
        .setLabelValues(version);
    verifyTimes = new VerifyTimes(registry, exemplars);
    CounterWithCallback.builder()
        .name("http_server_requests")
        .help("Requests by route and status")
        .labelNames("method", "route", "status")
        .callback(counter -> routes.forEach(route -> route.tell(counter)))
        .register(registry);
    SummaryWithCallback.builder()
        .name("http_server_request_duration_seconds")
        .help("Time of requests by route, until the answer is sent")
        .labelNames("method", "route")
        .callback(summary -> routes.forEach(route -> route.tell(summary)))
        .register(registry);
  }

  /** Adds a gauge that is evaluated when it is read; it is absent while that fails. */
  public void gauge(String name, String about, DoubleSupplier value) {
    GaugeWithCallback.builder()
        .name(spelled(name))
        .help(about)
        .callback(gauge -> ifItWorks(() -> gauge.call(value.getAsDouble())))
        .register(registry);
  }

  /** Adds one value of a gauge with a label, evaluated when it is read; absent while that fails. */
  public void gauge(
      String name, String about, String label, String value, DoubleSupplier supplier) {
    labeled
        .computeIfAbsent(
            spelled(name),
            each -> {
              var values = new ConcurrentSkipListMap<String, DoubleSupplier>();
              GaugeWithCallback.builder()
                  .name(each)
                  .help(about)
                  .labelNames(label)
                  .callback(gauge ->
                      values.forEach(
                          (of, now) -> ifItWorks(() -> gauge.call(now.getAsDouble(), of))))
                  .register(registry);
              return values;
            })
        .put(value, supplier);
  }

  /** Adds a counter that is evaluated when it is read. */
  public void growing(String name, String about, LongSupplier value) {
    CounterWithCallback.builder()
        .name(spelled(name))
        .help(about)
        .callback(counter -> ifItWorks(() -> counter.call((double) value.getAsLong())))
        .register(registry);
  }

  /** Adds a counter with a value for each value of its label, evaluated when it is read. */
  public void growing(
      String name, String about, String label, Supplier<? extends Map<String, Long>> values) {
    CounterWithCallback.builder()
        .name(spelled(name))
        .help(about)
        .labelNames(label)
        .callback(counter ->
            ifItWorks(() -> values.get().forEach((each, value) -> counter.call(value, each))))
        .register(registry);
  }

  /** Adds a number of events and the nanoseconds they took, both evaluated when they are read. */
  public void timer(String name, String about, LongSupplier count, LongSupplier nanos) {
    SummaryWithCallback.builder()
        .name(spelled(name))
        .help(about)
        .callback(
            summary -> summary.call(count.getAsLong(), nanos.getAsLong() / NANOS, Quantiles.EMPTY))
        .register(registry);
  }

  public LabeledCounter tally(String name, String about, String... labels) {
    return new LabeledCounter(
        Counter.builder()
            .name(spelled(name))
            .help(about)
            .labelNames(labels)
            .withoutExemplars()
            .register(registry));
  }

  /** Creates the meters of one route; create them once and reuse them. */
  public RouteMeters route(String method, String pattern) {
    var meters = new RouteMeters(method, pattern);
    routes.add(meters);
    return meters;
  }

  public VerifyTimes verifyTimes() {
    return verifyTimes;
  }

  /** A response to a scrape. */
  @SuppressWarnings("ArrayRecordComponent") // written once, never compared
  public record Scrape(String contentType, byte[] body) {
    public String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /**
   * Returns all metrics.
   *
   * @param accept the formats that the caller reads (RFC 9110 section 12.5.1): OpenMetrics, if it
   *     is named, or else the text format of Prometheus
   */
  public Scrape scrape(String accept) {
    ExpositionFormatWriter writer = formats.findWriter(accept);
    var body = new ByteArrayOutputStream(32 << 10);
    try {
      writer.write(body, snapshots());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Scrape(writer.getContentType(), body.toByteArray());
  }

  /** Returns the present values of all metrics. */
  MetricSnapshots snapshots() {
    return registry.scrape();
  }

  /** One value that cannot be had, for example while the database is down, must not hide others. */
  private static void ifItWorks(Runnable tell) {
    try {
      tell.run();
    } catch (RuntimeException _) {
      // Absent from this scrape; what fails is logged where it is used.
    }
  }

  private static String spelled(String name) {
    return name.replace('.', '_');
  }
}
