package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** The answer to a request of the HTTP server's library. */
final class JettySink implements Sink {
  private final Response response;
  private final Callback callback;
  private final MessageMemory.Part unread;
  private final AtomicBoolean isEnded = new AtomicBoolean();
  private volatile boolean isWriting;

  /**
   * Takes what the library gives.
   *
   * @param unread the part of an answer that the client has not read
   */
  JettySink(Request request, Response response, Callback callback, MessageMemory.Part unread) {
    this.response = response;
    this.callback = Callback.from(callback, unread::close);
    this.unread = unread;
    // A server may take long to answer; only a client that does not read runs into the time-out.
    request.addIdleTimeoutListener(this::isStuck);
  }

  private boolean isStuck(TimeoutException silence) {
    return isWriting;
  }

  @Override
  public void send(int status, Map<String, String> headers, byte[] json) throws IOException {
    response.setStatus(status);
    headers.forEach(response.getHeaders()::put);
    if (json.length > 0) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    }
    if (isEnded.compareAndSet(false, true)) {
      isWriting = true;
      unread.hold(json.length);
      // The last bytes and the end go together.
      response.write(true, ByteBuffer.wrap(json), callback);
    }
  }

  /** Answers without a body. */
  void send(int status) throws IOException {
    send(status, Map.of(), new byte[0]);
  }

  /** Answers with an error. */
  void refuse(Refusal refusal) throws IOException {
    Message answer = refusal.answer();
    send(refusal.status(), refusal.headers(), answer.bytes());
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
