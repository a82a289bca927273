package dev.safeconduct.gateway.http;

import dev.safeconduct.gateway.rpc.MessageMemory;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads server-sent events (WHATWG HTML section 9.2) and limits what one event may take. Not
 * thread-safe.
 */
public final class EventReader implements AutoCloseable {
  private static final int LONGEST_RETRY_DIGITS = 9;

  /** After how many bytes of an event the next ones take their room. */
  private static final int STEP = 8 << 10;

  /** The bytes, which are copied as they become more, and their text. */
  private static final int COPIES = 4;

  private final InputStream in;
  private final int maxBytes;
  private final MessageMemory.Part held;
  private int arrived;
  private boolean started;
  private boolean ended;

  /**
   * Reads events.
   *
   * @param maxBytes the size of one event, above which reading fails
   * @param held what the event that was read last takes of the memory
   */
  public EventReader(InputStream in, int maxBytes, MessageMemory.Part held) {
    this.in = new BufferedInputStream(in);
    this.maxBytes = maxBytes;
    this.held = held;
  }

  /**
   * Returns the next event that has an id or data, or nothing at the end of the stream. An event
   * that the end cuts off is dropped.
   *
   * @throws IOException when the stream fails, or an event is too large or has no room
   */
  public Optional<ServerSentEvent> next() throws IOException {
    held.clear();
    arrived = 0;
    Optional<String> id = Optional.empty();
    Optional<Duration> retry = Optional.empty();
    var data = new StringBuilder();
    boolean any = false;
    int size = 0;
    while (true) {
      String line = line(maxBytes - size);
      if (ended) {
        return Optional.empty();
      }
      if (line.isEmpty()) {
        if (any || id.isPresent()) {
          return Optional.of(new ServerSentEvent(id, data.toString(), retry));
        }
        held.clear();
        arrived = 0;
        size = 0;
        continue;
      }
      size += line.length();
      int colon = line.indexOf(':');
      String field = colon < 0 ? line : line.substring(0, colon);
      String value = colon < 0 ? "" : line.substring(colon + 1);
      if (value.startsWith(" ")) {
        value = value.substring(1);
      }
      switch (field) {
        case "data" -> {
          if (any) {
            data.append('\n');
          }
          data.append(value);
          any = true;
        }
        case "id" -> id = value.indexOf('\0') < 0 ? Optional.of(value) : id;
        case "retry" -> retry = digits(value) ? Optional.of(millis(value)) : retry;
        default -> {
          // Comments, names of events and unknown fields carry nothing that MCP uses.
        }
      }
    }
  }

  private static boolean digits(String value) {
    return !value.isEmpty()
        && value.length() <= LONGEST_RETRY_DIGITS
        && value.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static Duration millis(String value) {
    return Duration.ofMillis(Long.parseLong(value));
  }

  /** Reads up to CR, LF or both. */
  private String line(int limit) throws IOException {
    var bytes = new ByteArrayOutputStream();
    while (true) {
      int b = in.read();
      if (b < 0) {
        ended = true;
        return "";
      }
      if (b == '\r') {
        in.mark(1);
        if (in.read() != '\n') {
          in.reset();
        }
        break;
      }
      if (b == '\n') {
        break;
      }
      if (bytes.size() >= limit) {
        throw new IOException("The server sent an event of more than " + maxBytes + " bytes");
      }
      bytes.write(b);
      arrived++;
      if (arrived % STEP == 0 && !held.take((long) COPIES * STEP)) {
        throw new MessageMemory.Exhausted();
      }
    }
    String line = bytes.toString(StandardCharsets.UTF_8);
    boolean first = !started;
    started = true;
    return first && line.startsWith("\uFEFF") ? line.substring(1) : line;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
