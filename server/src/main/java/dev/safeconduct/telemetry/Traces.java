package dev.safeconduct.telemetry;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Starts the spans of requests. OpenTelemetry's SDK sends them to the collector from a bounded
 * queue.
 */
public final class Traces implements AutoCloseable {
  private static final Duration LAST_EXPORT = Duration.ofSeconds(3);

  private final @Nullable OpenTelemetrySdk sdk;
  private final @Nullable Tracer tracer;

  private Traces(@Nullable OpenTelemetrySdk sdk) {
    this.sdk = sdk;
    this.tracer = sdk == null ? null : sdk.getTracer("dev.safeconduct");
  }

  /** Returns traces with tracing off. */
  public static Traces off() {
    return new Traces(null);
  }

  /**
   * Returns traces as configured: off without a collector. Nothing is sent before the first span.
   *
   * @param version of this service
   */
  public static Traces of(TraceConfig config, String version) {
    return config.collector().isEmpty() ? off() : new Traces(TraceSdk.open(config, version));
  }

  public boolean isOn() {
    return tracer != null;
  }

  /**
   * Begins the span of a request; Java null when tracing is off.
   *
   * @param traceparent as it was sent (W3C Trace Context section 3.2), if it was; a malformed one
   *     is ignored
   * @param tracestate as it was sent, several joined by commas; empty without one
   * @param now when the request began
   * @param nanos the same by {@link System#nanoTime}
   */
  public @Nullable RequestSpan begin(
      String method, @Nullable String traceparent, String tracestate, Instant now, long nanos) {
    if (tracer == null) {
      return null;
    }
    Context parent = Context.root();
    if (traceparent != null) {
      var sent = new HashMap<String, String>();
      sent.put("traceparent", traceparent);
      if (!tracestate.isEmpty()) {
        sent.put("tracestate", tracestate);
      }
      parent = W3CTraceContextPropagator.getInstance().extract(parent, sent, Sent.HEADERS);
    }
    long epochNanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    return new RequestSpan(tracer, parent, method, epochNanos, nanos);
  }

  private enum Sent implements TextMapGetter<Map<String, String>> {
    HEADERS;

    @Override
    public Iterable<String> keys(Map<String, String> headers) {
      return headers.keySet();
    }

    @Override
    public @Nullable String get(@Nullable Map<String, String> headers, String name) {
      return headers == null ? null : headers.get(name);
    }
  }

  /** Sends the queued spans, for a few seconds at most. */
  @Override
  public void close() {
    if (sdk != null) {
      sdk.shutdown().join(LAST_EXPORT.toMillis(), TimeUnit.MILLISECONDS);
    }
  }
}
