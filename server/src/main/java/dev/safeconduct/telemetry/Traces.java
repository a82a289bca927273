package dev.safeconduct.telemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Starts the spans of requests. OpenTelemetry's SDK sends them to the collector from a bounded
 * queue.
 */
public final class Traces {
  private final @Nullable Tracer tracer;

  private Traces(@Nullable Tracer tracer) {
    this.tracer = tracer;
  }

  public static Traces off() {
    return new Traces(null);
  }

  /** Returns the traces of the SDK. Nothing is sent before the first span. */
  static Traces of(OpenTelemetry sdk) {
    return new Traces(sdk.getTracer("dev.safeconduct"));
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
}
