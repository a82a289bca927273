package dev.safeconduct.http.server;

import java.io.IOException;

/** The body's framing is broken, for example a chunk's end: RFC 9112 section 7.1. */
public final class MalformedBodyException extends IOException {
  private static final long serialVersionUID = 1L;

  public MalformedBodyException(String message, Throwable cause) {
    super(message, cause);
  }
}
