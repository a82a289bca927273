package dev.safeconduct.gateway.bridge;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.Outlet;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A request in a server's session. While the server waits for input, the client has a result that
 * asks for it, and no request of its own; what the server sends then waits for the next one.
 */
final class SessionCall {
  private static final String KEY = "input";

  private final Object sentId;
  private final boolean wantsLogs;
  private final Map<String, SessionCall> waiting;
  private final MessageMemory memory;
  private final long startedAt = System.nanoTime();
  private final Queue<Message> inputs = new ArrayDeque<>();
  private final Message request;
  private @Nullable Object id;
  private @Nullable Outlet outlet;
  private @Nullable Message answer;
  private @Nullable String state;

  /** What it takes once the server has asked: the client's request gives back its own part. */
  private MessageMemory.@Nullable Part kept;

  private boolean isOver;

  /**
   * Starts a call.
   *
   * @param sentId the request's id in the session
   * @param wantsLogs whether log messages reach the client
   * @param waiting where it is found by its state while its client is asked; who removes it there
   *     either goes on with it or ends it
   * @param memory for the messages that it keeps while its client is asked
   */
  SessionCall(
      Object sentId,
      Message request,
      Outlet outlet,
      boolean wantsLogs,
      Map<String, SessionCall> waiting,
      MessageMemory memory) {
    this.sentId = sentId;
    this.request = request;
    this.id = request.id();
    this.outlet = outlet;
    this.wantsLogs = wantsLogs;
    this.waiting = waiting;
    this.memory = memory;
  }

  Object sentId() {
    return sentId;
  }

  Message request() {
    return request;
  }

  /**
   * Whether a client waits for it with a request of this id. While the server waits for input, the
   * id of the last one may be another client's.
   */
  synchronized boolean isOpenAs(Object id) {
    return outlet != null && id.equals(this.id);
  }

  long startedAt() {
    return startedAt;
  }

  synchronized boolean isWaitingForInput() {
    return state != null;
  }

  /** Passes a notification on. */
  synchronized void tell(Message notification) {
    boolean isLog = notification.method().equals("notifications/message");
    Outlet to = outlet;
    if (to != null && (wantsLogs || !isLog)) {
      to.send(notification);
    }
  }

  /** Passes the response on; later, if the client is not there. */
  synchronized void answer(Message translated) {
    Outlet to = outlet;
    if (to == null) {
      answer = translated;
      if (kept != null) {
        kept.hold(size(translated));
      }
    } else {
      outlet = null;
      finish();
      to.send(translated.with("id", id));
    }
  }

  /**
   * Asks the client for what the server requests.
   *
   * @param token the state that the client repeats; used if the client is there
   */
  synchronized Asked ask(Message input, String token) {
    if (isOver) {
      return Asked.REFUSED;
    }
    MessageMemory.Part part = kept == null ? memory.forAnswer() : kept;
    if (!part.take(size(input) + (kept == null ? size(request) : 0))) {
      return Asked.NO_ROOM;
    }
    kept = part;
    inputs.add(input);
    return askNext(token) ? Asked.NOW : Asked.LATER;
  }

  /** What becomes of a request of the server. */
  enum Asked {
    /** The client has it. */
    NOW,
    /** The client gets it when it comes back. */
    LATER,
    /** Nobody answers it: the call is over for its client. */
    REFUSED,
    /** There is no memory for a call that waits. */
    NO_ROOM
  }

  private static long size(Message message) {
    byte[] bytes = message.bytes();
    return bytes.length + MessageMemory.sizeOfValues(bytes);
  }

  private void finish() {
    isOver = true;
    if (kept != null) {
      kept.close();
    }
  }

  private boolean askNext(String token) {
    Outlet to = outlet;
    Message next = inputs.peek();
    if (to == null || next == null) {
      return false;
    }
    outlet = null;
    state = token;
    waiting.put(token, this); // Before the client knows it.
    var wanted = new LinkedHashMap<String, @Nullable Object>();
    wanted.put("method", next.method());
    wanted.put("params", next.params());
    var result = new LinkedHashMap<String, @Nullable Object>();
    result.put("resultType", "input_required");
    result.put("inputRequests", Map.of(KEY, wanted));
    result.put("requestState", token);
    to.send(Message.result(id, result));
    return true;
  }

  /** Tells whether the request is this call again, with the state that it was given. */
  synchronized boolean isContinuedBy(Message retry) {
    return Objects.equals(state, retry.params().get("requestState"))
        && retry.method().equals(request.method())
        && asked(retry).equals(asked(request));
  }

  private static Map<String, @Nullable Object> asked(Message message) {
    Map<String, @Nullable Object> params = new LinkedHashMap<>(message.params());
    params.keySet().removeAll(java.util.Set.of("_meta", "inputResponses", "requestState"));
    return params;
  }

  /**
   * Goes on with a retry of a call that waits no more; returns the answer to the server, or null.
   *
   * @param token the next state, if the server still needs input
   */
  synchronized @Nullable Message goOn(Message retry, Outlet to, String token) {
    id = retry.id();
    outlet = to;
    state = null;
    Object given = Message.objectOrEmpty(retry.params().get("inputResponses")).get(KEY);
    Message toServer = null;
    if (given instanceof Map<?, ?>) {
      Message next = inputs.remove();
      toServer = Message.result(Objects.requireNonNull(next.id()), Message.objectOrEmpty(given));
    }
    if (answer != null) {
      answer(answer);
    } else {
      askNext(token);
    }
    return toServer;
  }

  /** Ends it for its client, who waits no more; returns the requests that nobody answers. */
  synchronized List<Message> end() {
    List<Message> unanswered = List.copyOf(inputs);
    inputs.clear();
    finish();
    state = null;
    return unanswered;
  }
}
