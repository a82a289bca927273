package dev.safeconduct.http2;

import java.io.IOException;
import java.io.InputStream;

/** A request's body as it comes. */
final class StreamBody extends InputStream {
  private final Http2Stream stream;

  StreamBody(Http2Stream stream) {
    this.stream = stream;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    return length == 0 ? 0 : stream.read(into, from, length);
  }
}
