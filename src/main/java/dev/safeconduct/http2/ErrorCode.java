package dev.safeconduct.http2;

/** Why a stream or a connection ends (RFC 9113 section 7); those we send. */
enum ErrorCode {
  NO_ERROR(0),
  PROTOCOL_ERROR(1),
  INTERNAL_ERROR(2),
  FLOW_CONTROL_ERROR(3),
  STREAM_CLOSED(5),
  FRAME_SIZE_ERROR(6),
  REFUSED_STREAM(7),
  CANCEL(8),
  COMPRESSION_ERROR(9),
  ENHANCE_YOUR_CALM(11);

  private final int code;

  ErrorCode(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
