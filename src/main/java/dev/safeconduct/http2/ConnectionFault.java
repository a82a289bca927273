package dev.safeconduct.http2;

/** The client broke a rule in a way that ends the whole connection (RFC 9113 section 5.4.1). */
final class ConnectionFault extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  ConnectionFault(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  ErrorCode code() {
    return code;
  }
}
