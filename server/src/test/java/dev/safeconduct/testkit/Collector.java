package dev.safeconduct.testkit;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
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
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A collector of traces on a free port of the loopback address: OTLP over HTTP, as protobuf. */
public final class Collector implements AutoCloseable {
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

  private final HttpServer server;
  private final List<Span> spans = new ArrayList<>();
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

  /** All spans so far, once one of them is as wanted. */
  public List<Span> awaitOne(Predicate<Span> wanted) {
    long deadline = System.nanoTime() + PATIENCE;
    synchronized (spans) {
      while (spans.stream().noneMatch(wanted)) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          throw new AssertionError("no such span among " + spans);
        }
        try {
          spans.wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new AssertionError(e);
        }
      }
      return List.copyOf(spans);
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
