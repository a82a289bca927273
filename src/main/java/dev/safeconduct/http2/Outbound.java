package dev.safeconduct.http2;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.apache.hc.core5.http2.hpack.HPackEncoder;
import org.apache.hc.core5.util.ByteArrayBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What goes out on a connection, and the one lock for everything of it. Frames are gathered and
 * leave with {@link #flush}; all but {@link #enter}, {@link #isStalled} and {@link #abort} want the
 * lock held.
 */
final class Outbound {
  private static final int HEAD = 9;
  private static final int SIZE_OF_TABLE_IS_ZERO = 0x20;
  static final long MAX_WINDOW = Integer.MAX_VALUE;
  static final int DEFAULT_WINDOW = 65_535;

  // Fair: an answer that fills every window must let the others of the connection through.
  private final ReentrantLock lock = new ReentrantLock(true);
  private final OutputStream out;
  private final IntSupplier tick;
  private final HPackEncoder packed = new HPackEncoder(0, StandardCharsets.US_ASCII);
  private final ByteArrayBuffer block = new ByteArrayBuffer(512);
  private byte[] pending = new byte[2 << 10];
  private int size;
  private long window = DEFAULT_WINDOW;
  private long streamWindow = DEFAULT_WINDOW;
  private int maxPayload = FrameReader.MAX_PAYLOAD;
  private boolean tableSaid;
  private volatile int writingSince;
  private @Nullable Thread writing;
  private boolean broken;

  Outbound(OutputStream out, IntSupplier tick) {
    this.out = out;
    this.tick = tick;
  }

  /**
   * Takes the lock.
   *
   * @throws InterruptedIOException when interrupted while another holds it
   */
  void enter() throws InterruptedIOException {
    try {
      lock.lockInterruptibly();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Takes the lock whatever happens; for what must not be left undone. */
  void enterAnyway() {
    lock.lock();
  }

  void leave() {
    lock.unlock();
  }

  Condition condition() {
    return lock.newCondition();
  }

  /** Lets others go first where they wait. */
  void giveWay() throws InterruptedIOException {
    if (lock.hasQueuedThreads()) {
      lock.unlock();
      lock.lock();
    }
  }

  static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    var e = new InterruptedIOException("Interrupted");
    e.initCause(cause);
    return e;
  }

  /** How much of an answer may go out now, given what the stream's own window lets through. */
  int room(long ofStream) {
    return (int) Math.min(Math.min(window, ofStream), maxPayload);
  }

  /** The window a new stream starts with. */
  long streamWindow() {
    return streamWindow;
  }

  void streamWindow(long octets) {
    streamWindow = octets;
  }

  void maxPayload(int octets) {
    maxPayload = Math.min(octets, FrameReader.MAX_PAYLOAD);
  }

  /** Adds to the connection's window; whether it stayed one. */
  boolean widen(long octets) {
    window += octets;
    return window <= MAX_WINDOW;
  }

  /** Fields, cut into as many frames as they need. */
  void fields(int stream, List<Field> fields, boolean last) throws CharacterCodingException {
    block.clear();
    if (!tableSaid) {
      // Nothing we send is kept for later; the client's table stays empty, whatever size it offers.
      block.append(SIZE_OF_TABLE_IS_ZERO);
      tableSaid = true;
    }
    for (Field field : fields) {
      packed.encodeHeader(block, field.name(), field.value(), true);
    }
    int sent = Math.min(block.length(), maxPayload);
    boolean whole = sent == block.length();
    int flags = (last ? Frame.END_STREAM : 0) | (whole ? Frame.END_HEADERS : 0);
    frame(Frame.HEADERS, flags, stream, block.array(), 0, sent);
    while (sent < block.length()) {
      int next = Math.min(block.length() - sent, maxPayload);
      boolean end = sent + next == block.length();
      frame(Frame.CONTINUATION, end ? Frame.END_HEADERS : 0, stream, block.array(), sent, next);
      sent += next;
    }
  }

  /** A part of a body; the caller has asked for {@link #room} before. */
  void data(int stream, byte[] bytes, int from, int length, boolean last) {
    window -= length;
    frame(Frame.DATA, last ? Frame.END_STREAM : 0, stream, bytes, from, length);
  }

  void reset(int stream, ErrorCode code) {
    frame(Frame.RST_STREAM, 0, stream, numbers(code.code()), 0, 4);
  }

  void widened(int stream, int octets) {
    frame(Frame.WINDOW_UPDATE, 0, stream, numbers(octets), 0, 4);
  }

  void goAway(int lastStream, ErrorCode code) {
    frame(Frame.GOAWAY, 0, 0, numbers(lastStream, code.code()), 0, 8);
  }

  /** Identifiers and their values in turn (RFC 9113 section 6.5.1). */
  void settings(int... pairs) {
    byte[] payload = new byte[pairs.length * 3];
    for (int i = 0; i < pairs.length; i += 2) {
      payload[i * 3] = (byte) (pairs[i] >>> 8);
      payload[i * 3 + 1] = (byte) pairs[i];
      System.arraycopy(numbers(pairs[i + 1]), 0, payload, i * 3 + 2, 4);
    }
    frame(Frame.SETTINGS, 0, 0, payload, 0, payload.length);
  }

  void acknowledge(int type, byte[] payload) {
    frame(type, Frame.ACK, 0, payload, 0, payload.length);
  }

  /** Sends what was gathered; blocks while the client reads nothing. */
  void flush() throws IOException {
    if (size == 0) {
      return;
    }
    writing(Thread.currentThread());
    writingSince = tick.getAsInt();
    try {
      out.write(pending, 0, size);
    } finally {
      size = 0;
      writingSince = 0;
      writing(null);
    }
  }

  private synchronized void writing(@Nullable Thread thread) throws IOException {
    writing = thread;
    if (broken) {
      boolean _ = Thread.interrupted(); // It was meant for the write alone.
      throw new IOException("The connection is over");
    }
  }

  /**
   * Ends a write that hangs, and all later ones. Its thread is interrupted, which closes the socket
   * below it; to close it any other way would wait for the write. Wants no lock.
   */
  synchronized void abort() {
    broken = true;
    Thread thread = writing;
    if (thread != null) {
      thread.interrupt();
    }
  }

  /** Whether the client has taken nothing for so many ticks of what is being sent. */
  boolean isStalled(int ticks) {
    int since = writingSince;
    return since != 0 && tick.getAsInt() - since > ticks;
  }

  private void frame(int type, int flags, int stream, byte[] payload, int from, int length) {
    int needed = size + HEAD + length;
    if (needed > pending.length) {
      pending = Arrays.copyOf(pending, Math.max(needed, 2 * pending.length));
    }
    pending[size] = (byte) (length >>> 16);
    pending[size + 1] = (byte) (length >>> 8);
    pending[size + 2] = (byte) length;
    pending[size + 3] = (byte) type;
    pending[size + 4] = (byte) flags;
    System.arraycopy(numbers(stream), 0, pending, size + 5, 4);
    System.arraycopy(payload, from, pending, size + HEAD, length);
    size = needed;
  }

  private static byte[] numbers(int... values) {
    byte[] bytes = new byte[values.length * 4];
    for (int i = 0; i < values.length; i++) {
      bytes[i * 4] = (byte) (values[i] >>> 24);
      bytes[i * 4 + 1] = (byte) (values[i] >>> 16);
      bytes[i * 4 + 2] = (byte) (values[i] >>> 8);
      bytes[i * 4 + 3] = (byte) values[i];
    }
    return bytes;
  }
}
