package dev.safeconduct.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The span of an outgoing HTTP request made while serving a request (OpenTelemetry semantic
 * conventions for HTTP clients); does nothing when tracing is off.
 *
 * <p>{@code url.full} is omitted: receivers' addresses often contain a token.
 */
public final class CallSpan {
  private static final AttributeKey<String> HOST = AttributeKey.stringKey("server.address");
  private static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
  private static final AttributeKey<Long> RESENT =
      AttributeKey.longKey("http.request.resend_count");
  private static final CallSpan NONE = new CallSpan(null, Span.getInvalid());

  private final @Nullable RequestSpan parent;
  private final Span span;

  private CallSpan(@Nullable RequestSpan parent, Span span) {
    this.parent = parent;
    this.span = span;
  }

  /**
   * Begins the span of a {@code POST}.
   *
   * @param attempt the number of the attempt, from 1
   */
  public static CallSpan post(String host, int port, int attempt) {
    RequestSpan parent = RequestSpan.current();
    if (parent == null) {
      return NONE;
    }
    Span span =
        parent
            .call("POST")
            .setAttribute(RequestSpan.METHOD, "POST")
            .setAttribute(HOST, host)
            .setAttribute(PORT, (long) port);
    if (attempt > 1) {
      span.setAttribute(RESENT, (long) attempt - 1);
    }
    return new CallSpan(parent, span);
  }

  /**
   * Returns the headers that propagate the trace: {@code traceparent}. The caller's {@code
   * tracestate} is not passed on, because it may hold data that the receiver must not see (W3C
   * Trace Context section 7.2).
   */
  public Map<String, String> headers() {
    if (parent == null) {
      return Map.of();
    }
    var headers = new HashMap<String, String>();
    W3CTraceContextPropagator.getInstance()
        .inject(Context.root().with(span), headers, CallSpan::put);
    headers.remove("tracestate");
    return headers;
  }

  private static void put(@Nullable Map<String, String> headers, String name, String value) {
    if (headers != null) {
      headers.put(name, value);
    }
  }

  /**
   * Ends the span.
   *
   * @param status of the response, if there was one
   * @param failed whether the call has failed
   */
  public void end(@Nullable Integer status, boolean failed) {
    if (parent == null) {
      return;
    }
    if (status != null) {
      span.setAttribute(RequestSpan.STATUS, (long) status);
    }
    if (failed) {
      span.setStatus(StatusCode.ERROR)
          .setAttribute(RequestSpan.ERROR, status == null ? "no_answer" : status.toString());
    }
    span.end(parent.at(System.nanoTime()), TimeUnit.NANOSECONDS);
  }
}
