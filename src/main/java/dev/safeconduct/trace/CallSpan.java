package dev.safeconduct.trace;

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
 * The span of an HTTP request that is made of somebody else while serving one (OpenTelemetry
 * semantic conventions for HTTP clients); does nothing where nothing is traced.
 *
 * <p>{@code url.full} is left out: receivers' addresses often hold a token.
 */
public final class CallSpan {
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  private static final AttributeKey<String> HOST = AttributeKey.stringKey("server.address");
  private static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
  private static final AttributeKey<Long> RESENT =
      AttributeKey.longKey("http.request.resend_count");
  private static final AttributeKey<Long> STATUS =
      AttributeKey.longKey("http.response.status_code");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
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
   * @param attempt the try's number, from 1
   */
  public static CallSpan post(String host, int port, int attempt) {
    RequestSpan parent = RequestSpan.current();
    if (parent == null) {
      return NONE;
    }
    Span span =
        parent
            .call("POST")
            .setAttribute(METHOD, "POST")
            .setAttribute(HOST, host)
            .setAttribute(PORT, (long) port);
    if (attempt > 1) {
      span.setAttribute(RESENT, (long) attempt - 1);
    }
    return new CallSpan(parent, span);
  }

  /**
   * What tells the other side of the trace: {@code traceparent}. The caller's {@code tracestate} is
   * not passed on, for it may hold what is none of the other side's business (W3C Trace Context
   * section 7.2).
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
   * Ends it.
   *
   * @param status of the answer, if one came
   * @param failed whether the call has missed its purpose
   */
  public void end(@Nullable Integer status, boolean failed) {
    if (parent == null) {
      return;
    }
    if (status != null) {
      span.setAttribute(STATUS, (long) status);
    }
    if (failed) {
      span.setStatus(StatusCode.ERROR)
          .setAttribute(ERROR, status == null ? "no_answer" : status.toString());
    }
    span.end(parent.at(System.nanoTime()), TimeUnit.NANOSECONDS);
  }
}
