package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Message.Kind;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a client gets for one request, or for the session's GET. A response that comes first is sent
 * as JSON; else the answer is a stream of events. In a session, the client can lose the connection
 * and come back for what it missed. Thread-safe.
 */
final class ClientStream implements Outlet {
  /** What one stream keeps for a client that is away. */
  private static final int MAX_EVENTS = 1000;

  private static final int MAX_BYTES = 4 << 20;
  private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.UTF_8);

  private final boolean isGeneral;
  private final @Nullable Object requestId;
  private final String method;
  private final @Nullable Object progressToken;
  private final @Nullable String name;
  private final MessageMemory.Part held;
  private final MessageMemory.Part kept;
  private final Consumer<ClientStream> onGone;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<byte[]> events = new ArrayDeque<>();
  private final Map<String, String> headers = new java.util.HashMap<>();
  private CountDownLatch detached = new CountDownLatch(1);
  private @Nullable Sink sink;
  private int first;
  private int delivered;
  private int bytes;
  private int status;
  private boolean isOpen;
  private boolean isFinished;
  private volatile long lastWrite = System.nanoTime();

  /**
   * Creates a stream.
   *
   * @param request whose response ends it; null for the session's own stream
   * @param name the part of the ids of its events that distinguishes it in its session; null
   *     without a session, where a stream cannot be resumed
   * @param held what the request takes of the memory; given back at the end of the stream
   * @param kept what the events take that a client may come back for
   * @param onGone hears when the client of a stream that cannot be resumed is gone
   */
  ClientStream(
      @Nullable Message request,
      @Nullable String name,
      MessageMemory.Part held,
      MessageMemory.Part kept,
      Consumer<ClientStream> onGone) {
    // The message itself is not kept: a stream can be there for long after its end.
    isGeneral = request == null;
    requestId = request == null ? null : request.id();
    method = request == null ? "" : request.method();
    progressToken = request == null ? null : request.meta().get("progressToken");
    this.name = name;
    this.held = held;
    this.kept = kept;
    this.onGone = onGone;
  }

  /** Adds a header to the answer that starts next. */
  void header(String field, String value) {
    lock.lock();
    try {
      headers.put(field, value);
    } finally {
      lock.unlock();
    }
  }

  /** Sets the status of an answer that is not a stream. */
  void status(int code) {
    lock.lock();
    try {
      status = code;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void send(Message message) {
    lock.lock();
    try {
      if (isFinished) {
        return;
      }
      boolean isLast = !isGeneral && message.kind() == Kind.RESPONSE && isAnswer(message);
      isFinished = isLast;
      if (isLast) {
        held.close(); // first: a client that has the response may send its next request at once
      }
      Sink to = sink;
      if (isLast && !isOpen && to != null) {
        lastWrite = System.nanoTime();
        to.send(status(message), headers, message.bytes());
        detach();
        return;
      }
      open();
      append(message.bytes());
      if (isLast) {
        detach();
      }
    } catch (IOException e) {
      gone();
    } finally {
      lock.unlock();
    }
  }

  private boolean isAnswer(Message message) {
    return message.id() == null || message.id().equals(requestId);
  }

  /** Without sessions, the status repeats some errors, so that software on the way sees them. */
  private int status(Message response) {
    Map<String, @Nullable Object> error = response.error();
    if (name != null || error == null || !(error.get("code") instanceof Number code)) {
      return status == 0 ? 200 : status;
    }
    return switch (code.intValue()) {
      case Revision.HEADER_MISMATCH,
          Revision.MISSING_CAPABILITY,
          Revision.UNSUPPORTED_VERSION,
          RpcError.PARSE_ERROR,
          RpcError.INVALID_REQUEST ->
          400;
      case RpcError.METHOD_NOT_FOUND -> 404;
      default -> 200;
    };
  }

  /** Answers with a stream also if the response is all that comes. */
  void start() {
    lock.lock();
    try {
      if (!isFinished) {
        open();
      }
    } catch (IOException e) {
      gone();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the connection to the client, which comes back for the rest. */
  void interrupt(Duration retry) {
    lock.lock();
    try {
      if (name == null || isFinished) {
        return;
      }
      open();
      write(("retry: " + retry.toMillis() + "\n\n").getBytes(StandardCharsets.UTF_8));
      detach();
    } catch (IOException e) {
      gone();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the stream for good. A client that waits for a response gets an error. */
  void finish() {
    lock.lock();
    try {
      if (!isGeneral) {
        send(
            Message.error(
                requestId,
                RpcError.of(RpcError.INTERNAL_ERROR, "The request ended without a response.")));
      }
      isFinished = true;
      held.close();
      detach();
    } finally {
      lock.unlock();
    }
  }

  /** Writes the stream to a client: what no client has got yet, then what comes. */
  boolean attach(Sink client) {
    lock.lock();
    try {
      return attach(client, Math.max(first, delivered));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Writes the stream to a client: what it missed, then what comes.
   *
   * @param after how many events it has already
   * @return false when some of them are gone, or another client reads the stream
   */
  boolean attach(Sink client, int after) {
    lock.lock();
    try {
      if (sink != null || after < first || after > first + events.size()) {
        return false;
      }
      sink = client;
      detached = new CountDownLatch(1);
      if (isOpen || after > 0 || isGeneral) {
        isOpen = true;
        lastWrite = System.nanoTime();
        client.open(headers);
        int number = first;
        for (byte[] event : events) {
          number++;
          if (number > after) {
            write(event);
          }
        }
      }
      if (isFinished) {
        detach();
      }
    } catch (IOException e) {
      gone();
    } finally {
      lock.unlock();
    }
    return true;
  }

  /** Starts the events; the first one, without data, gives the client an id to resume from. */
  private void open() throws IOException {
    if (isOpen) {
      return;
    }
    isOpen = true;
    Sink to = sink;
    if (to != null) {
      to.open(headers);
    }
    if (name != null && !isGeneral) {
      append(new byte[0]);
    }
  }

  private void append(byte[] data) throws IOException {
    var event = new ByteArrayOutputStream(data.length + 32);
    if (name != null) {
      String id = "id: " + name + "-" + (first + events.size() + 1) + "\n";
      event.writeBytes(id.getBytes(StandardCharsets.UTF_8));
    }
    event.writeBytes("data: ".getBytes(StandardCharsets.UTF_8));
    for (byte each : data) {
      event.write(each == '\n' || each == '\r' ? ' ' : each); // Between JSON tokens only.
    }
    event.writeBytes("\n\n".getBytes(StandardCharsets.UTF_8));
    if (name != null) {
      keep(event.toByteArray());
    }
    write(event.toByteArray());
  }

  private void keep(byte[] event) {
    if (!kept.take(event.length)) {
      forget();
      first++; // A client that is away cannot come back for this event either.
      return;
    }
    events.add(event);
    bytes += event.length;
    while (events.size() > MAX_EVENTS || (bytes > MAX_BYTES && events.size() > 1)) {
      int dropped = events.remove().length;
      bytes -= dropped;
      kept.give(dropped);
      first++;
    }
  }

  private void forget() {
    first += events.size();
    events.clear();
    bytes = 0;
    kept.clear();
  }

  /** Forgets the events, because no client can come back for them. */
  void drop() {
    lock.lock();
    try {
      forget();
    } finally {
      lock.unlock();
    }
  }

  private void write(byte[] event) throws IOException {
    Sink to = sink;
    if (to != null) {
      lastWrite = System.nanoTime();
      to.write(event);
      delivered = first + events.size();
    }
  }

  /** Keeps proxies and clients from taking a silent connection for a dead one. */
  void keepAlive(Duration silence) {
    if (System.nanoTime() - lastWrite < silence.toNanos() || !lock.tryLock()) {
      return;
    }
    try {
      if (sink != null && !isFinished) {
        open();
        write(COMMENT);
      }
    } catch (IOException e) {
      gone();
    } finally {
      lock.unlock();
    }
  }

  private void gone() {
    detach();
    if (name == null && !isFinished) {
      isFinished = true;
      held.close();
      onGone.accept(this);
    }
  }

  private void detach() {
    Sink from = sink;
    sink = null;
    if (from != null) {
      if (isOpen) {
        from.end();
      }
      detached.countDown();
    }
  }

  /** Waits until the client has its answer or is gone. */
  void await() throws InterruptedException {
    CountDownLatch waiting;
    lock.lock();
    try {
      waiting = detached;
      if (sink == null) {
        return;
      }
    } finally {
      lock.unlock();
    }
    waiting.await();
  }

  /** Returns the method of the request; empty for the session's own stream. */
  String method() {
    return method;
  }

  @Nullable Object progressToken() {
    return progressToken;
  }

  boolean isAttached() {
    lock.lock();
    try {
      return sink != null;
    } finally {
      lock.unlock();
    }
  }

  boolean isFinished() {
    lock.lock();
    try {
      return isFinished;
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether a client may come back for events of the finished stream. */
  boolean isResumable() {
    lock.lock();
    try {
      return isOpen && name != null;
    } finally {
      lock.unlock();
    }
  }
}
