package dev.safeconduct.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.io.IOException;
import java.io.OutputStream;

/** Sends bytes down a connection, each write at once. */
final class SocketOutput extends OutputStream {
  private final DataWriter writer;

  SocketOutput(DataWriter writer) {
    this.writer = writer;
  }

  @Override
  public void write(int octet) throws IOException {
    write(new byte[] {(byte) octet}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    try {
      writer.writeNow(BufferData.create(bytes, from, length));
    } catch (RuntimeException e) {
      throw new IOException("The connection broke while it was written", e);
    }
  }
}
