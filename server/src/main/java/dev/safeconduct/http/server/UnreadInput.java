package dev.safeconduct.http.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Reads and discards the data that a client still sends after its response. Closing a socket with
 * unread data resets it, and a client that is still writing would lose the response (RFC 9112
 * section 9.6). Many clients read it only when they have sent everything. It ends when the client
 * does, when it is silent for a second, after 5 seconds, and after 16 MiB.
 */
final class UnreadInput {
  private static final long MOST_NANOS = 5_000_000_000L;
  private static final long MOST_BYTES = 16L << 20;
  private static final long SILENCE_MILLIS = 1_000;
  private static final int BUFFER = 16 << 10;

  private UnreadInput() {}

  /**
   * Reads the rest of a request's body, if the client sends it (a 100 Continue was sent or not
   * needed).
   *
   * @return whether all of it was read
   */
  static boolean discard(Request request, Call call) {
    if (call.isBodyRead()) {
      return true;
    }
    if (call.isAwaitingContinue()) {
      return false;
    }
    if (call.isBodyBroken()) {
      if (!Call.isMultiplexed(request)) {
        discard(request.getConnectionMetaData().getConnection().getEndPoint());
      }
      return false;
    }
    var ready = new Semaphore(0);
    long started = System.nanoTime();
    for (long total = 0; total < MOST_BYTES && System.nanoTime() - started < MOST_NANOS; ) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(ready::release);
        if (!comes(ready)) {
          return false;
        }
      } else {
        total += chunk.remaining();
        chunk.release();
        if (chunk.isLast() || Content.Chunk.isFailure(chunk)) {
          return chunk.isLast();
        }
      }
    }
    return false;
  }

  /** Reads the data of a connection that cannot have further requests. */
  static void discard(EndPoint endPoint) {
    var ready = new Semaphore(0);
    ByteBuffer buffer = BufferUtil.allocate(BUFFER);
    long started = System.nanoTime();
    try {
      for (long total = 0; total < MOST_BYTES && System.nanoTime() - started < MOST_NANOS; ) {
        BufferUtil.clear(buffer);
        int count = endPoint.fill(buffer);
        if (count < 0) {
          return;
        }
        total += count;
        if (count == 0) {
          endPoint.fillInterested(Callback.from(ready::release, _ -> ready.release()));
          if (!comes(ready)) {
            return;
          }
        }
      }
    } catch (IOException _) {
      // The connection ends in either case.
    }
  }

  private static boolean comes(Semaphore ready) {
    try {
      return ready.tryAcquire(SILENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
