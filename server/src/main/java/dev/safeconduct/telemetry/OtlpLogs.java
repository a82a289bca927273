package dev.safeconduct.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.exporter.internal.marshal.CodedInputStream;
import io.opentelemetry.exporter.internal.otlp.logs.LogsRequestMarshaler;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.logs.data.Body;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.resources.Resource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Audit records as OTLP logs in protobuf (OpenTelemetry Protocol 1.x, {@code
 * ExportLogsServiceRequest}). The library's own exporter cannot be used: it tells only whether a
 * batch failed, but neither why nor that a part of it was rejected.
 */
public final class OtlpLogs {
  private static final AttributeKey<String> ID =
      AttributeKey.stringKey("safeconduct.audit.record_id");
  private static final AttributeKey<Long> INDEX =
      AttributeKey.longKey("safeconduct.audit.log_index");
  private static final AttributeKey<String> KIND = AttributeKey.stringKey("safeconduct.audit.kind");
  private static final AttributeKey<String> ORG =
      AttributeKey.stringKey("safeconduct.audit.org_id");
  private static final InstrumentationScopeInfo SCOPE =
      InstrumentationScopeInfo.create("dev.safeconduct.audit");

  /** Field numbers of ExportLogsServiceResponse and of ExportLogsPartialSuccess. */
  private static final int PARTIAL_SUCCESS = 1;

  private static final int REJECTED = 1;
  private static final int MESSAGE = 2;
  private static final int FIELD_SHIFT = 3;

  private final Resource resource;

  /**
   * @param version of this service
   * @param hostname its name in the network
   */
  public OtlpLogs(String version, String hostname) {
    this.resource =
        Resource.create(
            Attributes.of(
                AttributeKey.stringKey("service.name"),
                "safeconduct",
                AttributeKey.stringKey("service.version"),
                version,
                AttributeKey.stringKey("host.name"),
                hostname));
  }

  /** How much attention a line deserves. */
  public enum Level {
    INFO(Severity.INFO),
    NOTICE(Severity.INFO2),
    WARN(Severity.WARN);

    private final Severity severity;

    Level(Severity severity) {
      this.severity = severity;
    }
  }

  /**
   * A record to send.
   *
   * @param body the record as JSON
   */
  public record Line(
      String id, long index, String kind, String org, Instant at, Level level, String body) {}

  /**
   * What the collector says.
   *
   * @param rejected how many records it has not taken; these must not be sent again
   */
  public record Answer(long rejected, String message) {}

  /** Returns the body of an export request. */
  public byte[] encode(List<Line> lines) {
    var out = new ByteArrayOutputStream();
    long now = nanos(Instant.now());
    try {
      LogsRequestMarshaler.create(lines.stream().map(line -> entry(line, now)).toList())
          .writeBinaryTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  /** Reads an export response; one that is not valid has no partial success. */
  public static Answer answer(byte[] response) {
    long rejected = 0;
    String message = "";
    try {
      CodedInputStream outer = CodedInputStream.newInstance(response);
      for (int tag = outer.readTag(); tag != 0; tag = outer.readTag()) {
        if (tag >>> FIELD_SHIFT != PARTIAL_SUCCESS) {
          outer.skipField(tag);
          continue;
        }
        outer.readRawVarint32(); // the length; the message is the only one
        for (int inner = outer.readTag(); inner != 0; inner = outer.readTag()) {
          switch (inner >>> FIELD_SHIFT) {
            case REJECTED -> rejected = outer.readRawVarint32();
            case MESSAGE -> message = outer.readStringRequireUtf8();
            default -> outer.skipField(inner);
          }
        }
      }
    } catch (IOException | RuntimeException _) {
      return new Answer(rejected, message);
    }
    return new Answer(rejected, message);
  }

  private static long nanos(Instant at) {
    return TimeUnit.SECONDS.toNanos(at.getEpochSecond()) + at.getNano();
  }

  private LogRecordData entry(Line line, long observed) {
    return new Entry(
        resource,
        nanos(line.at()),
        observed,
        line.level().severity,
        line.level().name(),
        Value.of(line.body()),
        Attributes.of(ID, line.id(), INDEX, line.index(), KIND, line.kind(), ORG, line.org()),
        "safeconduct.audit." + line.kind());
  }

  /** A line as the library reads it; the components have the names of its methods. */
  private record Entry(
      Resource getResource,
      long getTimestampEpochNanos,
      long getObservedTimestampEpochNanos,
      Severity getSeverity,
      String getSeverityText,
      Value<?> getBodyValue,
      Attributes getAttributes,
      String getEventName)
      implements LogRecordData {
    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
      return SCOPE;
    }

    @Override
    public SpanContext getSpanContext() {
      return SpanContext.getInvalid();
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // the interface demands it
    public Body getBody() {
      return Body.string(getBodyValue.asString());
    }

    @Override
    public int getTotalAttributeCount() {
      return getAttributes.size();
    }
  }
}
