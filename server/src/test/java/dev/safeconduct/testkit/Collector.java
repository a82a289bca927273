package dev.safeconduct.testkit;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A collector of traces, metrics and logs on a free port of the loopback address: OTLP over HTTP,
 * as protobuf.
 */
public final class Collector implements AutoCloseable {
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

  private final HttpServer server;
  private final List<Span> spans = new ArrayList<>();
  private final List<Metric> metrics = new ArrayList<>();
  private final Map<String, List<LogRecord>> logs = new TreeMap<>();
  private final List<String> keys = new ArrayList<>();
  private final Map<String, String> resource = new TreeMap<>();

  private Collector(HttpServer server) {
    this.server = server;
  }

  public static Collector start() {
    try {
      var collector =
          new Collector(
              HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50));
      collector.server.createContext("/v1/traces", collector::take);
      collector.server.createContext("/v1/metrics", collector::takeMetrics);
      collector.server.createContext("/v1/logs", collector::takeLogs);
      collector.server.start();
      return collector;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What {@code OTEL_EXPORTER_OTLP_ENDPOINT} is to be. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      var export = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody().readAllBytes());
      synchronized (spans) {
        keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Collector-Key")));
        for (ResourceSpans ofService : export.getResourceSpansList()) {
          resource.putAll(texts(ofService.getResource().getAttributesList()));
          for (ScopeSpans scope : ofService.getScopeSpansList()) {
            spans.addAll(scope.getSpansList());
          }
        }
        spans.notifyAll();
      }
      exchange.sendResponseHeaders(200, -1);
    }
  }

  private void takeMetrics(HttpExchange exchange) throws IOException {
    try (exchange) {
      var export = ExportMetricsServiceRequest.parseFrom(exchange.getRequestBody().readAllBytes());
      synchronized (spans) {
        metrics.clear(); // each export holds all of them
        for (ResourceMetrics ofService : export.getResourceMetricsList()) {
          resource.putAll(texts(ofService.getResource().getAttributesList()));
          ofService.getScopeMetricsList().forEach(scope -> metrics.addAll(scope.getMetricsList()));
        }
        spans.notifyAll();
      }
      exchange.sendResponseHeaders(200, -1);
    }
  }

  private void takeLogs(HttpExchange exchange) throws IOException {
    try (exchange) {
      var export = ExportLogsServiceRequest.parseFrom(exchange.getRequestBody().readAllBytes());
      synchronized (spans) {
        for (ResourceLogs ofService : export.getResourceLogsList()) {
          resource.putAll(texts(ofService.getResource().getAttributesList()));
          for (ScopeLogs scope : ofService.getScopeLogsList()) {
            logs.computeIfAbsent(scope.getScope().getName(), _ -> new ArrayList<>())
                .addAll(scope.getLogRecordsList());
          }
        }
        spans.notifyAll();
      }
      exchange.sendResponseHeaders(200, -1);
    }
  }

  /** The latest metrics by name, once they are as wanted. */
  public Map<String, Metric> awaitMetrics(Predicate<Map<String, Metric>> wanted) {
    await(() -> wanted.test(metrics()), () -> "no such metrics: " + metrics().keySet());
    return metrics();
  }

  /** The latest metrics by name. */
  public Map<String, Metric> metrics() {
    synchronized (spans) {
      var byName = new TreeMap<String, Metric>();
      metrics.forEach(metric -> byName.put(metric.getName(), metric));
      return byName;
    }
  }

  /** The lines of a logger, once there are as many. */
  public List<LogRecord> awaitLogs(String logger, int count) {
    await(() -> logs(logger).size() >= count, () -> "too few lines: " + logs);
    return logs(logger);
  }

  /** The lines of a logger so far. */
  public List<LogRecord> logs(String logger) {
    synchronized (spans) {
      return List.copyOf(logs.getOrDefault(logger, List.of()));
    }
  }

  /** The names of all loggers with a line. */
  public Set<String> loggers() {
    synchronized (spans) {
      return Set.copyOf(logs.keySet());
    }
  }

  /** All spans so far, once one of them is as wanted. */
  public List<Span> awaitOne(Predicate<Span> wanted) {
    await(() -> spans.stream().anyMatch(wanted), () -> "no such span among " + spans);
    return spans();
  }

  private void await(BooleanSupplier wanted, Supplier<String> missing) {
    long deadline = System.nanoTime() + PATIENCE;
    synchronized (spans) {
      while (!wanted.getAsBoolean()) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          throw new AssertionError(missing.get());
        }
        try {
          spans.wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new AssertionError(e);
        }
      }
    }
  }

  public List<Span> spans() {
    synchronized (spans) {
      return List.copyOf(spans);
    }
  }

  /** The header {@code X-Collector-Key} of each export. */
  public List<String> keys() {
    synchronized (spans) {
      return List.copyOf(keys);
    }
  }

  /** Attributes of the service itself. */
  public Map<String, String> resource() {
    synchronized (spans) {
      return Map.copyOf(resource);
    }
  }

  public static String hex(ByteString id) {
    return HexFormat.of().formatHex(id.toByteArray());
  }

  /** Attributes as text. */
  public static Map<String, String> texts(List<KeyValue> attributes) {
    var texts = new TreeMap<String, String>();
    for (KeyValue each : attributes) {
      AnyValue value = each.getValue();
      texts.put(
          each.getKey(),
          switch (value.getValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
            case INT_VALUE -> Long.toString(value.getIntValue());
            default -> value.toString();
          });
    }
    return texts;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
