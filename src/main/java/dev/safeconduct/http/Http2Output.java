package dev.safeconduct.http;

import dev.safeconduct.http2.Http2Stream;
import java.io.IOException;
import java.io.OutputStream;

/** Gathers what is written of an answer until there is a frame of it, or it is flushed. */
final class Http2Output extends OutputStream {
  private final Http2Stream stream;
  private final byte[] pending = new byte[16 << 10];
  private int size;
  private boolean closed;

  Http2Output(Http2Stream stream) {
    this.stream = stream;
  }

  @Override
  public void write(int octet) throws IOException {
    write(new byte[] {(byte) octet}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    if (length > pending.length - size) {
      flush();
    }
    if (length > pending.length) {
      stream.write(bytes, from, length, false);
    } else {
      System.arraycopy(bytes, from, pending, size, length);
      size += length;
    }
  }

  @Override
  public void flush() throws IOException {
    if (size > 0) {
      int sent = size;
      size = 0;
      stream.write(pending, 0, sent, false);
    }
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      stream.write(pending, 0, size, true);
    }
  }
}
