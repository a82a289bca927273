package dev.safeconduct.gateway.rpc;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads lines of bytes, none longer than a limit. One thread uses it. */
public final class LineReader {
  /** Up to how many bytes a line always has room: no other line makes its reader fail. */
  public static final int SHORT = 16 << 10;

  private final InputStream in;
  private final int maxBytes;
  private final MessageMemory.Part held;
  private final byte[] buffer = new byte[16 * 1024];
  private int next;
  private int end;
  private boolean isCut;

  /** Takes a stream that nobody else reads. */
  public LineReader(InputStream in, int maxBytes) {
    this(in, maxBytes, MessageMemory.unlimited().forAnswer());
  }

  /**
   * Takes a stream that nobody else reads.
   *
   * @param held what the line that was read last takes of the memory; a line of more than {@link
   *     #SHORT} bytes without room is too long
   */
  public LineReader(InputStream in, int maxBytes, MessageMemory.Part held) {
    this.in = in;
    this.maxBytes = maxBytes;
    this.held = held;
  }

  /**
   * Returns the next line without its end, or its beginning if it is too long; see {@link #isCut}.
   * Returns null at the end of the stream; a last line without an end counts.
   */
  public byte @Nullable [] read() throws IOException {
    var line = new ByteArrayOutputStream(256);
    isCut = false;
    held.clear();
    boolean isEmpty = true;
    while (true) {
      if (next == end) {
        next = 0;
        end = in.read(buffer);
        if (end < 0) {
          end = 0;
          return isEmpty ? null : line.toByteArray();
        }
      }
      isEmpty = false;
      int stop = next;
      while (stop < end && buffer[stop] != '\n') {
        stop++;
      }
      int room = isCut || !takeRoom(line.size(), stop - next) ? 0 : maxBytes - line.size();
      line.write(buffer, next, Math.min(room, stop - next));
      isCut |= stop - next > room;
      next = stop;
      if (stop < end) {
        next++;
        return withoutReturn(line.toByteArray());
      }
    }
  }

  private boolean takeRoom(int before, int more) {
    long bytes = 2L * more; // They are copied as they become more.
    if (before + more > SHORT) {
      return held.take(bytes);
    }
    held.hold(bytes);
    return true;
  }

  private static byte[] withoutReturn(byte[] line) {
    return line.length > 0 && line[line.length - 1] == '\r'
        ? java.util.Arrays.copyOf(line, line.length - 1)
        : line;
  }

  /** Whether the last line was longer than the limit. */
  public boolean isCut() {
    return isCut;
  }
}
