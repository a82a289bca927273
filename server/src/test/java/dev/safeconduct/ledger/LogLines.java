package dev.safeconduct.ledger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** The lines of INFO and above that the service logs meanwhile. */
final class LogLines implements AutoCloseable {
  private final Logger root = (Logger) LoggerFactory.getLogger("dev.safeconduct");
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  LogLines() {
    appender.start();
    root.setLevel(Level.INFO);
    root.addAppender(appender);
  }

  List<String> of(String text) {
    synchronized (appender) {
      return List.copyOf(appender.list).stream()
          .map(ILoggingEvent::getFormattedMessage)
          .filter(line -> line.contains(text))
          .toList();
    }
  }

  @Override
  public void close() {
    root.detachAppender(appender);
    root.setLevel(null); // as its parent, which is off in tests
  }
}
