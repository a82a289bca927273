package dev.safeconduct.http2;

import java.util.Optional;

/**
 * The body of one request on its way in; wants the connection's lock held. What is not read takes
 * at most one window of memory; what comes after the answer takes none.
 */
final class Upload {
  private static final int NOT_SENT_TICKS = 6;
  private static final int THROWN_AWAY_TICKS = 2;
  private static final long THROWN_AWAY_OCTETS = 16 << 20;

  private final int id;
  private final long declared;
  private final Streams streams;
  private final BodyBuffer unread = new BodyBuffer();
  private int window = Inbound.STREAM_WINDOW;
  private int used;
  private long received;
  private long thrownAway;
  private int heard;
  private boolean done;
  private boolean unwanted;

  /**
   * @param declared the length it will have, or -1
   * @param done whether there is none
   */
  Upload(int id, long declared, boolean done, Streams streams) {
    this.id = id;
    this.declared = declared;
    this.done = done;
    this.streams = streams;
    this.heard = streams.tick();
  }

  /** Whether the client has sent all of it. */
  boolean isDone() {
    return done;
  }

  boolean isEmpty() {
    return unread.size() == 0;
  }

  boolean hasBegun() {
    return received > 0;
  }

  /**
   * A part of it.
   *
   * @return why the stream has to end, where it has to
   */
  Optional<ErrorCode> came(Frame frame) throws ConnectionFault {
    int from = frame.from();
    int length = frame.to() - from;
    boolean last = frame.has(Frame.END_STREAM);
    window -= frame.length();
    received += length;
    if (done || window < 0 || !isAsDeclared(last)) {
      streams.inbound().done(frame.length());
      return Optional.of(
          done
              ? ErrorCode.STREAM_CLOSED
              : window < 0 ? ErrorCode.FLOW_CONTROL_ERROR : ErrorCode.PROTOCOL_ERROR);
    }
    done = last;
    if (unwanted) {
      thrownAway += length;
      dismiss(frame.length());
      return thrownAway > THROWN_AWAY_OCTETS && !last
          ? Optional.of(ErrorCode.NO_ERROR)
          : Optional.empty();
    }
    heard = streams.tick();
    unread.add(frame.payload(), from, length);
    dismiss(frame.length() - length);
    return Optional.empty();
  }

  /** Fields after the body, of which nothing is used, but {@code fit} they have to be. */
  Optional<ErrorCode> trailersCame(boolean fit) {
    if (done) {
      return Optional.of(ErrorCode.STREAM_CLOSED);
    }
    done = fit && isAsDeclared(true);
    return done ? Optional.empty() : Optional.of(ErrorCode.PROTOCOL_ERROR);
  }

  /** Section 8.1.1: a body is as long as its Content-Length. */
  private boolean isAsDeclared(boolean last) {
    return declared < 0 || (last ? received == declared : received <= declared);
  }

  /** Reads of what is there. */
  int read(byte[] into, int from, int length) {
    int count = unread.take(into, from, length);
    dismiss(count);
    return count;
  }

  /** Throws away what is unread, and what comes for a while: nobody will read it. */
  void dismissAll() {
    unwanted = true;
    heard = streams.tick();
    dismiss(unread.clear());
  }

  /** Forgets what is unread; the stream is over. */
  void forget() {
    streams.inbound().done(unread.clear());
  }

  /** Why the stream has to end because nothing came, or because it was thrown away long enough. */
  Optional<ErrorCode> overdue() {
    int silent = streams.tick() - heard;
    if (done) {
      return Optional.empty();
    }
    if (unwanted) {
      return silent >= THROWN_AWAY_TICKS ? Optional.of(ErrorCode.NO_ERROR) : Optional.empty();
    }
    return unread.size() == 0 && silent > NOT_SENT_TICKS
        ? Optional.of(ErrorCode.CANCEL)
        : Optional.empty();
  }

  /** Octets need no room here any more. */
  private void dismiss(int octets) {
    streams.inbound().done(octets);
    used += octets;
    if (!done && used >= Inbound.STREAM_WINDOW / 2) {
      window += used;
      streams.outbound().widened(id, used);
      used = 0;
    }
  }
}
