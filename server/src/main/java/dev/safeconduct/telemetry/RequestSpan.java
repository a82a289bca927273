package dev.safeconduct.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The span of a request that is being served (OpenTelemetry semantic conventions for HTTP servers).
 * It and its child spans use one clock, that of the request's stopwatch.
 */
public final class RequestSpan implements Progress {
  /** The name of the trace id in log lines. */
  private static final String LOGGED = "trace_id";

  /** Bounds the stages: a large batch of evaluations, or many changes, would add too many. */
  private static final int MOST_STAGES = 64;

  private static final int SERVER_ERROR = 500;

  /** RFC 9110 section 9 and RFC 5789; other names are the caller's text. */
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE");

  static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  private static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");
  static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");
  private static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");
  static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  private static final AttributeKey<String> REQUEST =
      AttributeKey.stringKey("safeconduct.request.id");
  private static final AttributeKey<String> POLICY =
      AttributeKey.stringKey("safeconduct.policy.id");
  private static final AttributeKey<Boolean> ALLOW =
      AttributeKey.booleanKey("safeconduct.decision.allow");
  private static final AttributeKey<String> CODE =
      AttributeKey.stringKey("safeconduct.decision.code");
  private static final AttributeKey<String> DECISION =
      AttributeKey.stringKey("safeconduct.decision.id");

  private static final ScopedValue<RequestSpan> CURRENT = ScopedValue.newInstance();

  private final Tracer tracer;
  private final Span span;
  private final Context context;
  private final String method;
  private final long epochNanos;
  private final long began;
  private final AtomicInteger stages = new AtomicInteger();
  private final List<Attributes> decisions = new ArrayList<>();

  RequestSpan(Tracer tracer, Context parent, String method, long epochNanos, long began) {
    this.tracer = tracer;
    this.method = METHODS.contains(method) ? method : "_OTHER";
    this.epochNanos = epochNanos;
    this.began = began;
    this.span =
        tracer
            .spanBuilder(this.method)
            .setParent(parent)
            .setSpanKind(SpanKind.SERVER)
            .setStartTimestamp(epochNanos, TimeUnit.NANOSECONDS)
            .startSpan();
    this.context = parent.with(span);
  }

  /** Runs the work as part of this span: its log lines and its outgoing calls belong to it. */
  public void within(Runnable work) {
    MDC.put(LOGGED, traceId());
    try {
      ScopedValue.where(CURRENT, this).run(work);
    } finally {
      MDC.remove(LOGGED);
    }
  }

  /** Returns the work as part of the span that is current here, for another thread. */
  public static Runnable carried(Runnable work) {
    if (!CURRENT.isBound()) {
      return work;
    }
    RequestSpan span = CURRENT.get();
    return () -> ScopedValue.where(CURRENT, span).run(work);
  }

  /** Returns this thread's current span; Java null when tracing is off. */
  static @Nullable RequestSpan current() {
    return CURRENT.isBound() ? CURRENT.get() : null;
  }

  /** Records a finished stage, by the nanoseconds of the request's stopwatch. */
  public void stage(String name, long from, long to) {
    if (span.isRecording() && stages.incrementAndGet() <= MOST_STAGES) {
      tracer
          .spanBuilder(name)
          .setParent(context)
          .setStartTimestamp(at(from), TimeUnit.NANOSECONDS)
          .startSpan()
          .end(at(to), TimeUnit.NANOSECONDS);
    }
  }

  /** Begins an outgoing call as a child of this span. */
  Span call(String name) {
    return tracer
        .spanBuilder(name)
        .setParent(context)
        .setSpanKind(SpanKind.CLIENT)
        .setStartTimestamp(at(System.nanoTime()), TimeUnit.NANOSECONDS)
        .startSpan();
  }

  String traceId() {
    return span.getSpanContext().getTraceId();
  }

  String spanId() {
    return span.getSpanContext().getSpanId();
  }

  /** Returns the context whose current span is this one. */
  Context context() {
    return context;
  }

  long at(long nanos) {
    return epochNanos + (nanos - began);
  }

  /** Concurrent parts have no common stopwatch. */
  @Override
  public void mark(String stage) {}

  @Override
  public boolean isTraced() {
    return span.isRecording();
  }

  @Override
  public Progress part() {
    return this;
  }

  @Override
  public void decided(String policy, boolean allow, String code, String id) {
    synchronized (decisions) {
      decisions.add(Attributes.of(POLICY, policy, ALLOW, allow, CODE, code, DECISION, id));
    }
  }

  /**
   * Ends the span.
   *
   * @param route the path's pattern; Java null when none matches, and then the path, which may be
   *     any text, is omitted
   * @param path without secrets
   * @param status of the response; 0 when there was none
   */
  public void end(@Nullable String route, String path, int status, String requestId, long nanos) {
    if (span.isRecording()) {
      span.setAttribute(METHOD, method).setAttribute(REQUEST, requestId);
      if (route != null) {
        span.updateName(method + " " + route);
        span.setAttribute(ROUTE, route).setAttribute(PATH, path);
      }
      if (status > 0) {
        span.setAttribute(STATUS, (long) status);
      }
      if (status >= SERVER_ERROR) {
        span.setStatus(StatusCode.ERROR).setAttribute(ERROR, Integer.toString(status));
      }
      tellDecisions();
    }
    span.end(at(nanos), TimeUnit.NANOSECONDS);
  }

  /** Adds a single decision as attributes of the span, and several decisions as its events. */
  private void tellDecisions() {
    synchronized (decisions) {
      if (decisions.size() == 1) {
        span.setAllAttributes(decisions.getFirst());
      } else {
        decisions.forEach(each -> span.addEvent("decision", each));
      }
    }
  }
}
