package dev.safeconduct.audit.stream;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.telemetry.OtlpLogs;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The body of a request, by the receiver's protocol. */
sealed interface StreamBody {
  byte[] bytes(List<StreamRecord> records);

  String contentType();

  /** Reads from the answer whether the receiver has dropped records that it accepted. */
  default Optional<StreamReceiver.Rejection> rejection(byte[] answer) {
    return Optional.empty();
  }

  /** One record a line. */
  record Lines() implements StreamBody {
    @Override
    public byte[] bytes(List<StreamRecord> records) {
      var text = new StringBuilder();
      records.forEach(record -> text.append(record.json()).append('\n'));
      return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String contentType() {
      return "application/x-ndjson";
    }
  }

  /** Events of Splunk's HTTP Event Collector, one after the other. */
  record SplunkEvents(String hostname) implements StreamBody {
    private static final int MILLIS = 1_000;

    @Override
    public byte[] bytes(List<StreamRecord> records) {
      var text = new StringBuilder();
      for (StreamRecord record : records) {
        long at = record.at().toEpochMilli();
        text.append("{\"time\":")
            .append(at / MILLIS)
            .append('.')
            .append(String.format("%03d", at % MILLIS))
            .append(",\"host\":")
            .append(Json.text(new JsonString(hostname)))
            .append(",\"source\":\"safeconduct\",\"sourcetype\":\"safeconduct:audit\",\"event\":")
            .append(record.json())
            .append("}\n");
      }
      return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String contentType() {
      return "application/json";
    }
  }

  /** OpenTelemetry logs. */
  record Otlp(OtlpLogs logs) implements StreamBody {
    @Override
    public byte[] bytes(List<StreamRecord> records) {
      return logs.encode(
          records.stream()
              .map(record ->
                  new OtlpLogs.Line(
                      record.id(),
                      record.index(),
                      record.kind().wire(),
                      record.org(),
                      record.at(),
                      switch (record.severity()) {
                        case WARNING -> OtlpLogs.Level.WARN;
                        case NOTICE -> OtlpLogs.Level.NOTICE;
                        case INFORMATIONAL -> OtlpLogs.Level.INFO;
                      },
                      record.json()))
              .toList());
    }

    @Override
    public String contentType() {
      return "application/x-protobuf";
    }

    @Override
    public Optional<StreamReceiver.Rejection> rejection(byte[] answer) {
      OtlpLogs.Answer read = OtlpLogs.answer(answer);
      return read.rejected() == 0
          ? Optional.empty()
          : Optional.of(new StreamReceiver.Rejection(read.rejected(), read.message()));
    }
  }
}
