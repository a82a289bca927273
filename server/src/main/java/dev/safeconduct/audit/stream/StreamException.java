package dev.safeconduct.audit.stream;

import java.io.IOException;
import java.time.Duration;

/** The receiver has answered, and has not taken the records; the message is its answer. */
final class StreamException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean aboutTheRecords;
  private final Duration wait;

  /**
   * @param aboutTheRecords whether these records are the cause, rather than the receiver's state
   * @param wait what the receiver asks to wait; zero for nothing
   */
  StreamException(String message, boolean aboutTheRecords, Duration wait) {
    super(message);
    this.aboutTheRecords = aboutTheRecords;
    this.wait = wait;
  }

  boolean isAboutTheRecords() {
    return aboutTheRecords;
  }

  Duration waitAsked() {
    return wait;
  }
}
