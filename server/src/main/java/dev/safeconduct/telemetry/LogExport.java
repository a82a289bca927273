package dev.safeconduct.telemetry;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import dev.safeconduct.text.Excerpt;
import io.opentelemetry.api.logs.LogRecordBuilder;
import io.opentelemetry.api.logs.LoggerProvider;
import io.opentelemetry.api.logs.Severity;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Gives OpenTelemetry's SDK each line of the log, with the trace and the span of the request that
 * wrote it. The SDK queues records and drops them when the queue is full, so a thread that logs
 * never waits.
 */
final class LogExport extends UnsynchronizedAppenderBase<ILoggingEvent> {
  /** The exporter's own warnings would be exported in turn, for as long as exporting fails. */
  private static final String ITS_OWN = "io.opentelemetry.";

  /** They contain the address of a webhook, and that often contains a token. */
  private static final String DEAD_LETTERS = "deadletter";

  private static final int LONGEST = 16 << 10;

  private final LoggerProvider loggers;

  private LogExport(LoggerProvider loggers) {
    this.loggers = loggers;
  }

  /** Exports every log line from now on, until {@link #end}. */
  static @Nullable LogExport begin(LoggerProvider loggers) {
    if (!(LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME) instanceof Logger root)) {
      return null; // another binding of SLF4J
    }
    var export = new LogExport(loggers);
    export.setName("otlp-" + System.identityHashCode(export));
    export.setContext(root.getLoggerContext());
    export.start();
    root.addAppender(export);
    return export;
  }

  void end() {
    if (LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME) instanceof Logger root) {
      root.detachAppender(this);
    }
    stop();
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getLoggerName().startsWith(ITS_OWN) || event.getLoggerName().equals(DEAD_LETTERS)) {
      return;
    }
    Instant at = event.getInstant();
    String text = event.getFormattedMessage();
    LogRecordBuilder line =
        loggers
            .get(event.getLoggerName())
            .logRecordBuilder()
            .setTimestamp(at == null ? Instant.ofEpochMilli(event.getTimeStamp()) : at)
            .setSeverity(severity(event.getLevel()))
            .setSeverityText(event.getLevel().toString())
            .setBody(Excerpt.start(text, LONGEST))
            .setAttribute("thread.name", event.getThreadName());
    RequestSpan span = RequestSpan.current();
    if (span != null) {
      line.setContext(span.context());
    }
    if (event.getThrowableProxy() instanceof ThrowableProxy thrown) {
      line.setException(thrown.getThrowable());
    }
    line.emit();
  }

  private static Severity severity(Level level) {
    return switch (level.toInt()) {
      case Level.ERROR_INT -> Severity.ERROR;
      case Level.WARN_INT -> Severity.WARN;
      case Level.INFO_INT -> Severity.INFO;
      case Level.DEBUG_INT -> Severity.DEBUG;
      default -> Severity.TRACE;
    };
  }
}
