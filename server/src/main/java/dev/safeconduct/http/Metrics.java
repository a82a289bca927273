package dev.safeconduct.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The process's metrics in Prometheus format: JVM metrics and, for each route, the number of
 * requests by status and their duration.
 */
public final class Metrics implements AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final StageTimes stages = new StageTimes(registry);

  /**
   * Strong references to the values of counters, which hold them only weakly: otherwise a garbage
   * collection would stop the count.
   */
  private final Queue<LongSupplier> kept = new ConcurrentLinkedQueue<>();

  public Metrics() {
    new ClassLoaderMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    collections.bindTo(registry);
  }

  /** Adds a gauge that is evaluated when it is read. */
  public void gauge(String name, String about, DoubleSupplier value) {
    Gauge.builder(name, value::getAsDouble).description(about).register(registry);
  }

  /** Adds a counter that is evaluated when it is read. */
  public void growing(String name, String about, LongSupplier value) {
    kept.add(value);
    FunctionCounter.builder(name, value, LongSupplier::getAsLong)
        .description(about)
        .register(registry);
  }

  /** Adds a counter with labels. */
  public LabeledCounter tally(String name, String about, String... labels) {
    return new LabeledCounter(registry, name, about, labels);
  }

  StageTimes stages() {
    return stages;
  }

  String scrape() {
    return registry.scrape();
  }

  /** Creates the meters of one route; create them once and reuse them. */
  RouteMeters route(String method, String pattern) {
    return new RouteMeters(registry, method, pattern);
  }

  @Override
  public void close() {
    collections.close();
    registry.close();
  }

  /** Counts and times the requests of one route; takes 100 ns at most. */
  static final class RouteMeters {
    private static final int STATUSES = 600;

    private final MeterRegistry registry;
    private final String method;
    private final String pattern;
    private final AtomicReferenceArray<Counter> byStatus = new AtomicReferenceArray<>(STATUSES);
    private final LongAdder count = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    private RouteMeters(MeterRegistry registry, String method, String pattern) {
      this.registry = registry;
      this.method = method;
      this.pattern = pattern;
      FunctionTimer.builder(
              "http.server.request.duration",
              this,
              meters -> meters.count.sum(),
              meters -> meters.nanos.sum(),
              TimeUnit.NANOSECONDS)
          .tags("route", pattern, "method", method)
          .register(registry);
    }

    void record(int status, long elapsedNanos) {
      count.increment();
      nanos.add(elapsedNanos);
      Counter counter = byStatus.get(status);
      if (counter == null) {
        counter = register(status);
        byStatus.set(status, counter);
      }
      counter.increment();
    }

    private Counter register(int status) {
      return Counter.builder("http.server.requests")
          .tags("route", pattern, "method", method, "status", Integer.toString(status))
          .register(registry);
    }
  }
}
