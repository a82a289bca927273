package dev.safeconduct.http2;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntSupplier;

/** Cuts what arrives into frames, none longer than the 16 KiB every client may send. */
final class FrameReader {
  /** The start of every connection (RFC 9113 section 3.4). */
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final int HEAD = 9;
  static final int MAX_PAYLOAD = 16 << 10;

  private final InputStream in;
  private final IntSupplier tick;
  private final byte[] head = new byte[HEAD];
  private volatile int waitingSince;
  private volatile boolean midway = true;

  FrameReader(InputStream in, IntSupplier tick) {
    this.in = in;
    this.tick = tick;
  }

  void readPreface() throws IOException, ConnectionFault {
    byte[] sent = new byte[PREFACE.length];
    fill(sent, 0);
    if (!Arrays.equals(sent, PREFACE)) {
      throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "This is no HTTP/2");
    }
    midway = false;
  }

  /** The next frame, or nothing where the client has ended the connection between two frames. */
  Optional<Frame> next() throws IOException, ConnectionFault {
    if (read(head, 0, 1) < 0) {
      return Optional.empty();
    }
    boolean within = midway;
    midway = true;
    fill(head, 1);
    int length = ((head[0] & 0xff) << 16) | ((head[1] & 0xff) << 8) | (head[2] & 0xff);
    if (length > MAX_PAYLOAD) {
      throw new ConnectionFault(ErrorCode.FRAME_SIZE_ERROR, "A frame is longer than 16 KiB");
    }
    int stream =
        ((head[5] & 0x7f) << 24)
            | ((head[6] & 0xff) << 16)
            | ((head[7] & 0xff) << 8)
            | (head[8] & 0xff);
    byte[] payload = new byte[length];
    fill(payload, 0);
    midway = within;
    return Optional.of(new Frame(head[3] & 0xff, head[4] & 0xff, stream, payload));
  }

  /** Notes that the frames so far want another one at once: a block of fields is cut in two. */
  void expectMore(boolean more) {
    midway = more;
  }

  /** Whether the client has sent nothing for so many ticks in the middle of something. */
  boolean isStalled(int ticks) {
    int since = waitingSince;
    return midway && since != 0 && tick.getAsInt() - since > ticks;
  }

  private void fill(byte[] into, int from) throws IOException {
    int at = from;
    while (at < into.length) {
      int count = read(into, at, into.length - at);
      if (count < 0) {
        throw new EOFException("The connection ended within a frame");
      }
      at += count;
    }
  }

  private int read(byte[] into, int from, int length) throws IOException {
    waitingSince = tick.getAsInt();
    try {
      return in.read(into, from, length);
    } finally {
      waitingSince = 0;
    }
  }
}
