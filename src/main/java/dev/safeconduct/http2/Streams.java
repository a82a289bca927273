package dev.safeconduct.http2;

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
  private final Map<Integer, Http2Stream> open = new HashMap<>();
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
    open.remove(stream.id());
    count = open.size();
    idleSince = System.nanoTime();
    whenLess.run();
  }
}
