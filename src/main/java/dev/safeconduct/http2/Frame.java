package dev.safeconduct.http2;

/** One frame as it came (RFC 9113 section 4.1). */
final class Frame {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int PRIORITY = 2;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PUSH_PROMISE = 5;
  static final int PING = 6;
  static final int GOAWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;

  static final int END_STREAM = 0x1;
  static final int ACK = 0x1;
  static final int END_HEADERS = 0x4;
  private static final int PADDED = 0x8;
  private static final int WITH_PRIORITY = 0x20;

  private final int type;
  private final int flags;
  private final int stream;
  private final byte[] payload;

  Frame(int type, int flags, int stream, byte[] payload) {
    this.type = type;
    this.flags = flags;
    this.stream = stream;
    this.payload = payload;
  }

  int type() {
    return type;
  }

  /** Zero is the connection itself. */
  int stream() {
    return stream;
  }

  byte[] payload() {
    return payload;
  }

  /** All of the payload, which is what flow control counts, padding included. */
  int length() {
    return payload.length;
  }

  boolean has(int flag) {
    return (flags & flag) != 0;
  }

  /** Where the content starts, behind the length of the padding and an old priority. */
  int from() {
    int from = has(PADDED) ? 1 : 0;
    return type == HEADERS && has(WITH_PRIORITY) ? from + 5 : from;
  }

  /**
   * Where the content ends and the padding starts.
   *
   * @throws ConnectionFault for more padding than payload, or too little payload for the flags
   */
  int to() throws ConnectionFault {
    if (payload.length < from()) {
      throw new ConnectionFault(ErrorCode.FRAME_SIZE_ERROR, "A frame has not what its flags say");
    }
    int to = has(PADDED) ? payload.length - (payload[0] & 0xff) : payload.length;
    if (to < from()) {
      throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "The padding is longer than the frame");
    }
    return to;
  }

  /**
   * The 32-bit number at this place of the payload, without its highest bit where that is reserved.
   */
  long number(int at) {
    return ((payload[at] & 0xffL) << 24)
        | ((payload[at + 1] & 0xffL) << 16)
        | ((payload[at + 2] & 0xffL) << 8)
        | (payload[at + 3] & 0xffL);
  }
}
