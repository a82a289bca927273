package dev.safeconduct.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.http.DirectHandler;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.ServerConnectionException;
import java.io.UncheckedIOException;
import java.util.function.IntSupplier;

/**
 * Reads a connection with two limits the server library lacks: it buffers a whole chunk of a
 * chunked body and a chunk-size line of any length, both chosen by the client.
 */
final class GuardedReader extends DataReader {
  private static final int MAX_CHUNK = 1 << 20;
  private static final int MAX_LINE = 4 << 10;
  private static final byte[] NOTHING = {};
  private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";
  private static final String TOO_LONG = "A chunk or its size line is too long";

  private final Stall stall;
  private boolean requestLine;

  /**
   * @param first what has been read of the connection already
   */
  GuardedReader(HelidonSocket socket, byte[] first, IntSupplier tick) {
    this(new Stall(socket, first, tick));
  }

  // The library marks this constructor for removal: it wants no subclasses. There is no other place
  // to stand between a client's chunk sizes and the heap.
  @SuppressWarnings("removal")
  private GuardedReader(Stall stall) {
    super(stall::read);
    this.stall = stall;
  }

  /** Whether the last read still waits and began more than {@code ticks} ticks ago. */
  boolean stalledFor(int ticks) {
    return stall.isOver(ticks);
  }

  @Override
  public BufferData readBuffer(int length) {
    if (length > MAX_CHUNK) {
      throw refused(Status.REQUEST_ENTITY_TOO_LARGE_413, TOO_LONG);
    }
    return super.readBuffer(length);
  }

  /** By its bound the library's search for the end of a request line is known. */
  @Override
  public int findNewLine(int max) {
    requestLine = max == HttpServer.MAX_REQUEST_LINE;
    return super.findNewLine(max);
  }

  /** The library fails on a method that is no token, as on a fault of its own. */
  @Override
  public byte[] readBytes(int length) {
    byte[] line = super.readBytes(length);
    if (requestLine) {
      requireMethod(line);
      requestLine = false;
    }
    return line;
  }

  private static void requireMethod(byte[] line) {
    int end = 0;
    while (end < line.length && isTokenChar(line[end])) {
      end++;
    }
    if (end == 0 || end == line.length || line[end] != ' ') {
      throw refused(Status.BAD_REQUEST_400, "The request line does not begin with a method");
    }
  }

  /** RFC 9110 section 5.6.2. */
  private static boolean isTokenChar(byte c) {
    return (c >= 'A' && c <= 'Z')
        || (c >= 'a' && c <= 'z')
        || (c >= '0' && c <= '9')
        || (c > 0 && TOKEN_MARKS.indexOf(c) >= 0);
  }

  /** A chunk's size line; its extensions are dropped, as RFC 9112 section 7.1.1 wants. */
  @Override
  public String readLine() {
    int length = findNewLine(MAX_LINE);
    if (length >= MAX_LINE) {
      throw refused(Status.BAD_REQUEST_400, TOO_LONG);
    }
    String line = readAsciiString(length);
    skip(2);
    int extension = line.indexOf(';');
    return extension < 0 ? line : line.substring(0, extension).strip();
  }

  private static RequestException refused(Status status, String message) {
    return RequestException.builder()
        .type(DirectHandler.EventType.BAD_REQUEST)
        .status(status)
        .setKeepAlive(false)
        .message(message)
        .build();
  }

  /** Notes at which tick a read began; zero while none waits. */
  private static final class Stall {
    private final HelidonSocket socket;
    private final IntSupplier tick;
    private byte[] first;
    private volatile int since;

    private Stall(HelidonSocket socket, byte[] first, IntSupplier tick) {
      this.socket = socket;
      this.first = first;
      this.tick = tick;
    }

    private byte[] read() {
      if (first.length > 0) {
        byte[] known = first;
        first = NOTHING;
        return known;
      }
      since = tick.getAsInt();
      try {
        return socket.get();
      } catch (UncheckedIOException e) {
        throw new ServerConnectionException("The connection broke while it was read", e);
      } finally {
        since = 0;
      }
    }

    private boolean isOver(int ticks) {
      int began = since;
      return began != 0 && tick.getAsInt() - began > ticks;
    }
  }
}
