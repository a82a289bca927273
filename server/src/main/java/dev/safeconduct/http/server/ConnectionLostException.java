package dev.safeconduct.http.server;

/** The client disconnected, or stopped reading or sending: its connection or stream ends. */
public final class ConnectionLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConnectionLostException(String message, Throwable cause) {
    super(message, cause);
  }
}
