package dev.safeconduct.http2;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The open streams of a connection, and what they share. All but {@link #tick}, {@link #isEmpty}
 * and {@link #idleTime} wants the connection's lock held.
 */
final class Streams {
  /** How many that have ended are remembered: those whose frames may still be on their way. */
  private static final int REMEMBERED = 1024;

  private final Map<Integer, Http2Stream> open = new HashMap<>();

  /** In the order they ended; those we have reset are negative. */
  private final int[] ended = new int[REMEMBERED];

  private int endings;
  private final Outbound outbound;
  private final Inbound inbound;
  private final Runnable whenLess;
  private final AtomicInteger tick = new AtomicInteger(1);
  private volatile int count;
  private volatile long idleSince = System.nanoTime();

  /**
   * @param whenLess told when a stream has ended
   */
  Streams(Outbound outbound, Inbound inbound, Runnable whenLess) {
    this.outbound = outbound;
    this.inbound = inbound;
    this.whenLess = whenLess;
  }

  Outbound outbound() {
    return outbound;
  }

  Inbound inbound() {
    return inbound;
  }

  /** Counts the sweeps of the connection: the only clock here. */
  int tick() {
    return tick.get();
  }

  void nextTick() {
    tick.incrementAndGet();
  }

  Optional<Http2Stream> find(int id) {
    return Optional.ofNullable(open.get(id));
  }

  Collection<Http2Stream> all() {
    return List.copyOf(open.values());
  }

  int size() {
    return open.size();
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** For how long there has been none. */
  Duration idleTime() {
    return count > 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - idleSince);
  }

  void add(Http2Stream stream) {
    open.put(stream.id(), stream);
    count = open.size();
  }

  /** The stream is over on both sides, or reset and left by its server. */
  void remove(Http2Stream stream) {
    if (open.remove(stream.id()) != null) {
      note(stream.id());
    }
    count = open.size();
    idleSince = System.nanoTime();
    whenLess.run();
  }

  /** Ends a stream, or a request that was never begun, and tells the client why. */
  void reset(int id, ErrorCode code) {
    outbound.reset(id, code);
    note(-id);
  }

  private void note(int ending) {
    ended[endings] = ending;
    endings = (endings + 1) % REMEMBERED;
  }

  /**
   * Something came for a stream that is over. Where we have reset it, the client may not know that
   * yet, and it is thrown away; else the client must not send it (section 5.1).
   *
   * @return whether it may
   */
  boolean cameLate(int id) throws IOException {
    boolean may = remembers(-id);
    if (!may) {
      outbound.reset(id, ErrorCode.STREAM_CLOSED);
    }
    outbound.flush();
    return may;
  }

  /**
   * Fields came for a stream that is over, or never was.
   *
   * @throws ConnectionFault when it never was: a request's number is higher than all before it
   *     (section 5.1.1)
   */
  void fieldsCameLate(int id) throws IOException, ConnectionFault {
    if (!remembers(id) && !remembers(-id)) {
      throw new ConnectionFault(ErrorCode.PROTOCOL_ERROR, "Streams are numbered upwards");
    }
    boolean _ = cameLate(id);
  }

  private boolean remembers(int ending) {
    for (int each : ended) {
      if (each == ending) {
        return true;
      }
    }
    return false;
  }
}
