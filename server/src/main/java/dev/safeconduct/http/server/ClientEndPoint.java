package dev.safeconduct.http.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A client's socket with timeouts for each phase: before the first byte, in a request's head, in a
 * body or response, and between requests. The library has one timeout for all phases, and no limit
 * for a head that arrives byte by byte.
 */
final class ClientEndPoint extends SocketChannelEndPoint {
  /** How often the library reads after an answer, before it waits for data. */
  private static final int VAIN_READS = 2;

  private final Timeouts timeouts;
  private final long checkMillis;
  private volatile long lastProgress = System.nanoTime();

  // The client's current phase.
  private int requests;
  private int unfinished;
  private boolean closing;
  private boolean multiplexed;
  private int vainReads;
  private long lastRequest = System.nanoTime();
  private boolean inHead = true;
  private long headSince = System.nanoTime();

  ClientEndPoint(
      SocketChannel channel,
      ManagedSelector selector,
      SelectionKey key,
      Scheduler scheduler,
      Timeouts timeouts) {
    super(channel, selector, key, scheduler);
    this.timeouts = timeouts;
    this.checkMillis = timeouts.shortest().toMillis();
    setIdleTimeout(checkMillis);
  }

  /** Returns the socket of a connection, which may use TLS. */
  static ClientEndPoint below(Connection connection) {
    EndPoint endPoint = connection.getEndPoint();
    while (endPoint instanceof EndPoint.Wrapper wrapper) {
      endPoint = wrapper.unwrap();
    }
    return (ClientEndPoint) endPoint;
  }

  /**
   * Starts a request when its head is complete.
   *
   * @param many whether others may run at the same time
   * @return false when the connection is being closed, so that the request cannot be answered
   */
  synchronized boolean begin(boolean many) {
    if (closing) {
      return false;
    }
    requests++;
    unfinished++;
    multiplexed = many;
    vainReads = 0;
    inHead = false;
    return true;
  }

  /** Ends a request that is answered; the next one may begin. */
  synchronized void end() {
    requests--;
    vainReads = multiplexed ? 0 : VAIN_READS;
    lastRequest = System.nanoTime();
  }

  /** Tells that nothing more is written for a request that has ended. */
  synchronized void finish() {
    unfinished--;
  }

  /**
   * Closes a connection without a running request.
   *
   * @param any also a connection that may be receiving the first bytes of a request, or an HTTP/2
   *     connection that was sent GOAWAY
   */
  void closeUnused(boolean any) {
    synchronized (this) {
      if (unfinished > 0 || (!any && (inHead || multiplexed))) {
        return;
      }
      closing = true;
    }
    close();
  }

  @Override
  public int fill(ByteBuffer buffer) throws IOException {
    if (isHeadOverdue()) {
      close(new TimeoutException("The head of a request took too long"));
      return -1;
    }
    if (isVain()) {
      return 0;
    }
    int filled = super.fill(buffer);
    if (filled > 0) {
      lastProgress = System.nanoTime();
      beginHead();
    }
    return filled;
  }

  @Override
  public boolean flush(ByteBuffer... buffers) throws IOException {
    long before = remaining(buffers);
    boolean all = super.flush(buffers);
    if (remaining(buffers) < before) {
      lastProgress = System.nanoTime();
    }
    return all;
  }

  private static long remaining(ByteBuffer... buffers) {
    long remaining = 0;
    for (ByteBuffer buffer : buffers) {
      remaining += buffer.remaining();
    }
    return remaining;
  }

  /**
   * Returns whether to spare a call of the system: a client that has just got its answer has hardly
   * sent another request. If it has, the library is told so at once when it waits for data.
   */
  private synchronized boolean isVain() {
    return vainReads > 0 && vainReads-- > 0;
  }

  private synchronized boolean isHeadOverdue() {
    return inHead && System.nanoTime() - headSince > timeouts.head().toNanos();
  }

  private synchronized void beginHead() {
    if (requests == 0 && !multiplexed && !inHead) {
      inHead = true;
      headSince = System.nanoTime();
    }
  }

  /**
   * Returns the milliseconds to the next call, negative for none; called by the library's timer.
   */
  @Override
  protected long checkIdleTimeout() {
    if (!isOpen()) {
      return -1;
    }
    long now = System.nanoTime();
    if (isUnusedSince(now - timeouts.idle().toNanos())) {
      close(new TimeoutException("The client sent no request for too long"));
      return -1;
    }
    long left = allowedSilence().toNanos() - (now - lastProgress);
    if (left > 0) {
      return Math.clamp(left / 1_000_000 + 1, 1, checkMillis);
    }
    expire(new TimeoutException("The client was silent for too long"));
    return checkMillis;
  }

  /**
   * Returns whether an HTTP/2 connection has had no request since that time. Frames that are no
   * request do not count.
   */
  private synchronized boolean isUnusedSince(long nanos) {
    return multiplexed && requests == 0 && lastRequest - nanos < 0;
  }

  private synchronized Duration allowedSilence() {
    if (getWriteFlusher().isPending()) {
      return timeouts.stall();
    }
    return inHead ? timeouts.firstByte() : requests > 0 ? timeouts.stall() : timeouts.idle();
  }

  /** Reports the timeout to the reader of a body; any other connection is closed. */
  private void expire(TimeoutException timeout) {
    boolean reading;
    synchronized (this) {
      reading = !inHead && (requests > 0 || multiplexed);
    }
    if (reading && !getWriteFlusher().isPending()) {
      // Over HTTP/2 each stream has its own limit; a connection without streams is closed
      // gracefully.
      onIdleExpired(timeout);
    } else {
      close(timeout);
    }
  }
}
