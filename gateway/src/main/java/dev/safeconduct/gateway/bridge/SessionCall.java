package dev.safeconduct.gateway.bridge;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Outlet;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
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
  private final long startedAt = System.nanoTime();
  private final Queue<Message> inputs = new ArrayDeque<>();
  private Message request;
  private @Nullable Outlet outlet;
  private @Nullable Message answer;
  private @Nullable String state;

  /**
   * Starts a call.
   *
   * @param sentId the request's id in the session
   * @param wantsLogs whether log messages reach the client
   */
  SessionCall(Object sentId, Message request, Outlet outlet, boolean wantsLogs) {
    this.sentId = sentId;
    this.request = request;
    this.outlet = outlet;
    this.wantsLogs = wantsLogs;
  }

  Object sentId() {
    return sentId;
  }

  synchronized Message request() {
    return request;
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
    } else {
      outlet = null;
      to.send(translated.with("id", request.id()));
    }
  }

  /**
   * Asks the client for what the server requests.
   *
   * @param token the state that the client repeats; used if the client is there
   * @return whether the token is used
   */
  synchronized boolean ask(Message input, String token) {
    inputs.add(input);
    return askNext(token);
  }

  private boolean askNext(String token) {
    Outlet to = outlet;
    Message next = inputs.peek();
    if (to == null || next == null) {
      return false;
    }
    outlet = null;
    state = token;
    var wanted = new LinkedHashMap<String, @Nullable Object>();
    wanted.put("method", next.method());
    wanted.put("params", next.params());
    var result = new LinkedHashMap<String, @Nullable Object>();
    result.put("resultType", "input_required");
    result.put("inputRequests", Map.of(KEY, wanted));
    result.put("requestState", token);
    to.send(Message.result(request.id(), result));
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

  /** What to do after a retry. */
  record Continued(@Nullable Message toServer, boolean isTokenUsed) {}

  /**
   * Goes on with a retry.
   *
   * @param token the next state, if the server still needs input
   */
  synchronized Continued goOn(Message retry, Outlet to, String token) {
    request = retry;
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
      return new Continued(toServer, false);
    }
    return new Continued(toServer, askNext(token));
  }

  /** Returns the requests of the server that nobody answered. */
  synchronized Queue<Message> inputs() {
    return new ArrayDeque<>(inputs);
  }
}
