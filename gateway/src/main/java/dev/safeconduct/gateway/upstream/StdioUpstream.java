package dev.safeconduct.gateway.upstream;

import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.rpc.InvalidMessage;
import dev.safeconduct.gateway.rpc.LineReader;
import dev.safeconduct.gateway.rpc.LineWriter;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection over the standard streams of a program. What the program prints that is not JSON-RPC
 * is dropped; too much of it, or a message that is too long, ends the connection.
 */
public final class StdioUpstream implements Upstream {
  private static final int MAX_INVALID_LINES = 1000;
  private static final int MAX_CANCELLED = 16;
  private static final long CLOSE_SECONDS = 5;
  private static final RpcError ENDED =
      RpcError.of(RpcError.INTERNAL_ERROR, "The server ended before it answered.");
  private static final RpcError BUSY =
      RpcError.of(RpcError.INTERNAL_ERROR, "The server does not read its requests.");

  private final ChildProcess process;
  private final LineWriter writer;
  private final int maxMessageBytes;
  private final MessageMemory memory;
  private final Consumer<String> log;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Map<Object, Waiting> waiting = new HashMap<>();
  private final Map<Object, Object> sentIds = new HashMap<>();

  /** What cancelled requests take that the server may answer nevertheless, by the ids it knows. */
  private final Map<Object, MessageMemory.Part> cancelled = new LinkedHashMap<>();

  /** Whether a cancelled request was forgotten: its late response could have any client's id. */
  private boolean hasForgotten;

  private long renamed;
  private boolean isEnded;
  private volatile Outlet unsolicited = message -> {};
  private volatile Runnable onEnd = () -> {};

  /**
   * A request without a response.
   *
   * @param request as the client gave it; it was sent with another id if its own was in use
   */
  private record Waiting(Message request, Outlet outlet) {
    Object id() {
      return Objects.requireNonNull(request.id());
    }
  }

  /**
   * Starts the program.
   *
   * @param environment where the variables that it gets come from
   * @param log takes the lines of its standard error, and what goes wrong
   * @throws IOException if it cannot be started
   */
  public StdioUpstream(
      ServerConfig server,
      Map<String, String> environment,
      int maxMessageBytes,
      MessageMemory memory,
      Consumer<String> log)
      throws IOException {
    this.maxMessageBytes = maxMessageBytes;
    this.memory = memory;
    this.log = log;
    process = new ChildProcess(server, environment, log);
    writer = new LineWriter(process.input(), "safeconduct-to-" + server.name());
    var reader = new Thread(this::read, "safeconduct-from-" + server.name());
    reader.setDaemon(true);
    reader.start();
  }

  @Override
  public void request(Message request, Forwarded headers, Outlet outlet) {
    Object id = Objects.requireNonNull(request.id());
    Message sent = request;
    boolean isOpen;
    synchronized (this) {
      isOpen = !isEnded;
      if (isOpen) {
        Object sentId = id;
        if (hasForgotten || waiting.containsKey(id)) {
          do {
            sentId = "safeconduct:" + ++renamed;
          } while (waiting.containsKey(sentId));
          sent = request.with("id", sentId);
        }
        sentIds.put(id, sentId);
        waiting.put(sentId, new Waiting(request, outlet));
      }
    }
    if (!isOpen) {
      outlet.send(Message.error(id, ENDED));
    } else if (!writer.offer(sent)) {
      Waiting refused = take(sent.id());
      if (refused != null) {
        outlet.send(Message.error(id, BUSY));
      }
    }
  }

  private synchronized @Nullable Waiting take(@Nullable Object sentId) {
    Waiting found = waiting.remove(sentId);
    if (found != null) {
      sentIds.remove(found.id(), sentId);
      MessageMemory.Part kept = cancelled.remove(sentId);
      if (kept != null) {
        kept.close();
      }
    }
    return found;
  }

  @Override
  public void notify(Message notification, Forwarded headers) {
    Message sent = notification;
    if (notification.method().equals("notifications/cancelled")) {
      Object id = Message.idOf(notification.params().get("requestId"));
      Object sentId;
      synchronized (this) {
        sentId = id == null ? null : sentIds.get(id);
        if (sentId != null) {
          keepCancelled(sentId);
        }
      }
      if (sentId != null && !sentId.equals(id)) {
        var params = new LinkedHashMap<String, @Nullable Object>(notification.params());
        params.put("requestId", sentId);
        sent = notification.with("params", params);
      }
    }
    write(sent);
  }

  /** Many servers do not answer what was cancelled, so that it may stay for long. */
  private void keepCancelled(Object sentId) {
    Waiting waits = waiting.get(sentId);
    if (waits == null || cancelled.containsKey(sentId)) {
      return;
    }
    byte[] bytes = waits.request().bytes();
    MessageMemory.Part part = memory.forKept();
    cancelled.put(sentId, part);
    if (!part.take(bytes.length + MessageMemory.sizeOfValues(bytes))) {
      forget(sentId);
    } else if (cancelled.size() > MAX_CANCELLED) {
      forget(cancelled.keySet().iterator().next());
    }
  }

  private void forget(Object sentId) {
    hasForgotten = true;
    var _ = take(sentId);
  }

  @Override
  public void respond(Message response) {
    write(response);
  }

  private void write(Message message) {
    if (!writer.offer(message)) {
      log.accept("a message did not reach the server: it does not read, or has ended");
    }
  }

  @Override
  public void unsolicited(Outlet outlet) {
    unsolicited = outlet;
  }

  private void read() {
    MessageMemory.Part held = memory.forAnswer();
    var lines = new LineReader(process.output(), maxMessageBytes, held);
    int invalid = 0;
    try {
      for (byte[] line = lines.read(); line != null; line = lines.read()) {
        boolean hasRoom = held.takeForValues(line) || line.length <= LineReader.SHORT;
        if (lines.isCut() || !hasRoom) {
          log.accept(
              "the server sent more than "
                  + maxMessageBytes
                  + " bytes, or more than the gateway has memory for; connection ended");
          break;
        }
        if (!isBlank(line) && !accept(line) && ++invalid > MAX_INVALID_LINES) {
          log.accept("the server prints what is not JSON-RPC; connection ended");
          break;
        }
      }
    } catch (IOException e) {
      log.accept("the server's output cannot be read: " + e.getMessage());
    } finally {
      held.close();
      end();
    }
  }

  private static boolean isBlank(byte[] line) {
    for (byte each : line) {
      if (each != ' ' && each != '\t') {
        return false;
      }
    }
    return true;
  }

  /** Takes a line; returns whether it is a message. */
  private boolean accept(byte[] line) {
    try {
      dispatch(Message.parse(line));
      return true;
    } catch (InvalidMessage e) {
      Waiting waits = e.id() == null ? null : take(e.id());
      log.accept("dropped a line of the server: " + e.getMessage());
      if (waits != null) {
        waits
            .outlet()
            .send(
                Message.error(
                    waits.id(),
                    RpcError.of(RpcError.INTERNAL_ERROR, "The server's answer is not valid.")));
      }
      return false;
    }
  }

  private void dispatch(Message message) {
    switch (message.kind()) {
      case RESPONSE -> {
        Waiting waits = take(message.id());
        if (waits == null) {
          log.accept("dropped the server's response to no request");
        } else {
          waits
              .outlet()
              .send(waits.id().equals(message.id()) ? message : message.with("id", waits.id()));
        }
      }
      case NOTIFICATION -> outletOf(message).send(message);
      case REQUEST -> unsolicited.send(message);
    }
  }

  /** Returns the outlet of the request that a progress notification is about. */
  private synchronized Outlet outletOf(Message notification) {
    Object token = notification.params().get("progressToken");
    if (token != null && notification.method().equals("notifications/progress")) {
      for (Waiting waits : waiting.values()) {
        if (token.equals(waits.request().meta().get("progressToken"))) {
          return waits.outlet();
        }
      }
    }
    return unsolicited;
  }

  private void end() {
    Map<Object, Waiting> unanswered;
    synchronized (this) {
      isEnded = true;
      unanswered = new HashMap<>(waiting);
      waiting.clear();
      cancelled.values().forEach(MessageMemory.Part::close);
    }
    unanswered.values().forEach(waits -> waits.outlet().send(Message.error(waits.id(), ENDED)));
    process.close();
    ended.countDown();
    onEnd.run();
  }

  /** Sets what happens when the program has ended, or sent what ends the connection. */
  public void onEnd(Runnable action) {
    onEnd = action;
    if (ended.getCount() == 0) {
      action.run();
    }
  }

  /** Closes the program's input, gives it a moment, and then ends its process group. */
  @Override
  public void close() {
    writer.close();
    boolean _ = process.awaitEnd();
    process.close(); // also what the program left behind
    try {
      if (!ended.await(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        log.accept("a process that the server started holds its output open");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
