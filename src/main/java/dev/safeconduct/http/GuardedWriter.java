package dev.safeconduct.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import io.helidon.webserver.ServerConnectionException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes to a connection with an end for clients that stop reading, which the server library lacks:
 * its thread would wait for them for ever, and keep what the request holds. Long answers go out in
 * parts, so that a client is slow only when it takes none of them.
 */
final class GuardedWriter implements DataWriter {
  private static final int PART = 64 << 10;

  private final DataWriter inner;
  private final IntSupplier tick;
  private volatile int since;
  private @Nullable Thread writing;
  private boolean broken;

  GuardedWriter(DataWriter inner, IntSupplier tick) {
    this.inner = inner;
    this.tick = tick;
  }

  /** Whether a write still waits that began more than {@code ticks} ticks ago. */
  boolean isStalledFor(int ticks) {
    int began = since;
    return began != 0 && tick.getAsInt() - began > ticks;
  }

  /**
   * Ends a write that hangs, and all later ones. Its thread is interrupted, which closes the socket
   * below it; over TLS, to close it any other way would wait for the write.
   */
  synchronized void abort() {
    broken = true;
    Thread thread = writing;
    if (thread != null) {
      thread.interrupt();
    }
  }

  @Override
  public void write(BufferData... buffers) {
    for (BufferData buffer : buffers) {
      write(buffer);
    }
  }

  @Override
  public void writeNow(BufferData... buffers) {
    for (BufferData buffer : buffers) {
      writeNow(buffer);
    }
  }

  @Override
  public void write(BufferData buffer) {
    writeNow(buffer);
  }

  @Override
  public void writeNow(BufferData buffer) {
    while (buffer.available() > PART) {
      byte[] part = new byte[PART];
      int count = buffer.read(part, 0, PART);
      writeAll(BufferData.create(part, 0, count));
    }
    writeAll(buffer);
  }

  private void writeAll(BufferData part) {
    writing(Thread.currentThread());
    since = tick.getAsInt();
    try {
      inner.writeNow(part);
    } finally {
      since = 0;
      writing(null);
    }
  }

  private synchronized void writing(@Nullable Thread thread) {
    writing = thread;
    if (broken) {
      boolean _ = Thread.interrupted(); // It was meant for the write alone.
      throw new ServerConnectionException(
          "The client reads nothing", new java.io.IOException("the write was ended"));
    }
  }

  @Override
  public void flush() {
    inner.flush();
  }

  @Override
  public void close() {
    inner.close();
  }
}
