package dev.safeconduct.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where requests' spans begin and what becomes of them: a bounded queue, emptied by one thread of
 * its own to the collector. A collector that is slow, silent or gone costs spans and nothing else.
 */
public final class Traces implements AutoCloseable {
  /** Spans that wait; more are dropped. */
  private static final int MOST_WAITING = 8192;

  private static final Duration SENT_EVERY = Duration.ofSeconds(1);
  private static final Duration EXPORT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration LAST_EXPORT = Duration.ofSeconds(3);
  private static final int MOST_CHARACTERS = 1024;

  private final @Nullable SdkTracerProvider provider;
  private final @Nullable Tracer tracer;

  private Traces(@Nullable SdkTracerProvider provider) {
    this.provider = provider;
    this.tracer = provider == null ? null : provider.get("dev.safeconduct");
  }

  /** Nothing is traced. */
  public static Traces off() {
    return new Traces(null);
  }

  /**
   * Traces as configured: off without a collector. Nothing is sent before the first span.
   *
   * @param version of this service
   */
  public static Traces of(TraceConfig config, String version) {
    return config.collector().isEmpty()
        ? off()
        : new Traces(provider(config, config.collector().get(), version));
  }

  private static SdkTracerProvider provider(TraceConfig config, URI collector, String version) {
    var headers = new HashMap<String, String>();
    config.headers().forEach((name, value) -> headers.put(name, value.reveal()));
    OtlpHttpSpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(collector + "/v1/traces")
            .setTimeout(EXPORT_TIMEOUT)
            .setConnectTimeout(CONNECT_TIMEOUT)
            .setHeaders(() -> headers)
            .build();
    return SdkTracerProvider.builder()
        .setResource(Resource.getDefault().merge(service(config, version)))
        .setSampler(sampler(config))
        .setSpanLimits(SpanLimits.builder().setMaxAttributeValueLength(MOST_CHARACTERS).build())
        .addSpanProcessor(
            BatchSpanProcessor.builder(exporter)
                .setMaxQueueSize(MOST_WAITING)
                .setScheduleDelay(SENT_EVERY)
                .setExporterTimeout(EXPORT_TIMEOUT)
                .build())
        .build();
  }

  /** What the operator says of the service goes before what it knows of itself. */
  private static Resource service(TraceConfig config, String version) {
    var service =
        Resource.builder()
            .put(AttributeKey.stringKey("service.version"), version)
            .put(AttributeKey.stringKey("service.instance.id"), UUID.randomUUID().toString());
    config.attributes().forEach((name, value) -> service.put(AttributeKey.stringKey(name), value));
    return service.put(AttributeKey.stringKey("service.name"), config.serviceName()).build();
  }

  private static Sampler sampler(TraceConfig config) {
    return switch (config.sampling()) {
      case ALWAYS_ON -> Sampler.alwaysOn();
      case ALWAYS_OFF -> Sampler.alwaysOff();
      case TRACEIDRATIO -> Sampler.traceIdRatioBased(config.share());
      case PARENTBASED_ALWAYS_ON -> Sampler.parentBased(Sampler.alwaysOn());
      case PARENTBASED_ALWAYS_OFF -> Sampler.parentBased(Sampler.alwaysOff());
      case PARENTBASED_TRACEIDRATIO ->
          Sampler.parentBased(Sampler.traceIdRatioBased(config.share()));
    };
  }

  public boolean isOn() {
    return tracer != null;
  }

  /**
   * Begins the span of a request; Java null when nothing is traced.
   *
   * @param traceparent as it was sent (W3C Trace Context section 3.2), if it was; what is malformed
   *     is as if it had not been sent
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

  /** Sends what waits, for a few seconds at most. */
  @Override
  public void close() {
    if (provider != null) {
      provider.shutdown().join(LAST_EXPORT.toMillis(), TimeUnit.MILLISECONDS);
    }
  }
}
