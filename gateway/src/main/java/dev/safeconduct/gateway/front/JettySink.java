package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.rpc.MessageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** The answer to a request of the HTTP server's library. */
final class JettySink implements Sink {
  /** What it discards of a refused request, at most. */
  private static final long DISCARDED_BYTES = 16L << 20;

  private static final long DISCARDING_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Request request;
  private final Response response;
  private final Callback callback;
  private volatile MessageMemory.Part unread;
  private final AtomicBoolean isEnded = new AtomicBoolean();
  private volatile boolean isWriting;

  /**
   * Takes what the library gives.
   *
   * @param unread the part of an answer that the client has not read
   */
  JettySink(Request request, Response response, Callback callback, MessageMemory.Part unread) {
    this.request = request;
    this.response = response;
    this.unread = unread;
    this.callback = Callback.from(callback, () -> this.unread.close());
    // A server may take long to answer; only a client that does not read runs into the time-out.
    request.addIdleTimeoutListener(this::isStuck);
  }

  /** Sets where the part counts that the client has not read, once it is known who that is. */
  void charge(MessageMemory.Part part) {
    unread = part;
  }

  private boolean isStuck(TimeoutException silence) {
    return isWriting;
  }

  @Override
  public void send(int status, Map<String, String> headers, byte[] json) {
    if (begin(status, headers, json)) {
      // The last bytes and the end go together.
      response.write(true, ByteBuffer.wrap(json), callback);
    }
  }

  private boolean begin(int status, Map<String, String> headers, byte[] json) {
    response.setStatus(status);
    headers.forEach(response.getHeaders()::put);
    if (json.length > 0) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    }
    if (!isEnded.compareAndSet(false, true)) {
      return false;
    }
    isWriting = true;
    unread.hold(json.length);
    return true;
  }

  /** Answers without a body. */
  void send(int status) {
    send(status, Map.of(), new byte[0]);
  }

  /** Answers with an error, then reads what the client still sends, so that it gets the answer. */
  void refuse(Refusal refusal) {
    byte[] answer = refusal.answer().bytes();
    if (!begin(refusal.status(), refusal.headers(), answer)) {
      return;
    }
    try (Blocker.Callback written = Blocker.callback()) {
      response.write(true, ByteBuffer.wrap(answer), written);
      written.block();
      discardRest();
      callback.succeeded();
    } catch (IOException | TimeoutException e) {
      callback.failed(e);
    }
  }

  /**
   * Discards the rest of the request, for a while. To close a socket with unread data resets it,
   * and a client that still writes would lose the answer (RFC 9112 section 9.6).
   *
   * @throws TimeoutException if the client does not go on
   */
  private void discardRest() throws TimeoutException {
    var ready = new Semaphore(0);
    long left = DISCARDED_BYTES;
    long end = System.nanoTime() + DISCARDING_NANOS;
    while (left > 0) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(ready::release);
        await(ready, end - System.nanoTime());
      } else {
        left -= chunk.remaining();
        chunk.release();
        if (chunk.isLast() || Content.Chunk.isFailure(chunk)) {
          return;
        }
      }
    }
  }

  private static void await(Semaphore ready, long nanos) throws TimeoutException {
    try {
      if (ready.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    throw new TimeoutException("The client does not send the rest of its request");
  }

  @Override
  public void open(Map<String, String> headers) throws IOException {
    response.setStatus(200);
    headers.forEach(response.getHeaders()::put);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
    response.getHeaders().put("X-Accel-Buffering", "no");
    // Without it, the end of a connection would look like the end of the stream.
    response.getHeaders().put(HttpHeader.TRANSFER_ENCODING, "chunked");
    write(false, BufferUtil.EMPTY_BUFFER);
  }

  @Override
  public void write(byte[] event) throws IOException {
    write(false, ByteBuffer.wrap(event));
  }

  private void write(boolean last, ByteBuffer bytes) throws IOException {
    if (isEnded.get()) {
      throw new IOException("The answer has ended");
    }
    isWriting = true;
    try (Blocker.Callback written = Blocker.callback()) {
      response.write(last, bytes, written);
      written.block();
    } finally {
      isWriting = false;
    }
  }

  @Override
  public void end() {
    if (isEnded.compareAndSet(false, true)) {
      response.write(true, BufferUtil.EMPTY_BUFFER, callback);
    }
  }
}
