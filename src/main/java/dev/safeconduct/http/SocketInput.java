package dev.safeconduct.http;

import io.helidon.common.socket.HelidonSocket;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A connection's bytes as they come. */
final class SocketInput extends InputStream {
  private final HelidonSocket socket;
  private byte[] chunk;
  private int at;

  /**
   * @param first what has been read of it already
   */
  SocketInput(HelidonSocket socket, byte[] first) {
    this.socket = socket;
    this.chunk = first;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (at == chunk.length) {
      byte[] next = next();
      if (next == null) {
        return -1;
      }
      chunk = next;
      at = 0;
    }
    int count = Math.min(length, chunk.length - at);
    System.arraycopy(chunk, at, into, from, count);
    at += count;
    return count;
  }

  private byte @Nullable [] next() throws IOException {
    try {
      return socket.get();
    } catch (RuntimeException e) {
      throw new IOException("The connection broke while it was read", e);
    }
  }
}
