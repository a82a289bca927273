package dev.safeconduct.gateway.bridge;

import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Message.Kind;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.OwnRequest;
import dev.safeconduct.gateway.upstream.Upstream;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A session that the gateway holds at a server for clients without sessions that have the same
 * capabilities.
 */
final class ServerSession implements AutoCloseable {
  private static final Duration LONGEST_INPUT = Duration.ofMinutes(10);
  static final Duration LONGEST_ANSWER = Duration.ofSeconds(20);
  private static final String TOOLS_CHANGED = "notifications/tools/list_changed";
  private static final int STATE_BYTES = 24;

  /** How many calls may wait for input, each with its request; the oldest make room for more. */
  private static final int MAX_WAITING = 16;

  private static final RpcError LOST =
      RpcError.of(RpcError.INTERNAL_ERROR, "The MCP server ended the session.");

  private static final int RESOURCE_NOT_FOUND = -32002;

  private final Upstream server;
  private final boolean isShared;
  private final Map<String, @Nullable Object> clientCapabilities;
  private final MessageMemory memory;
  private final Set<String> relayed;
  private final Runnable onToolsChanged;
  private final SecureRandom random = new SecureRandom();
  private final AtomicInteger count = new AtomicInteger();
  private final Map<Object, SessionCall> calls = new ConcurrentHashMap<>();

  /** By the state that the client repeats, in the order in which the clients were asked. */
  private final Map<String, SessionCall> waiting =
      Collections.synchronizedMap(new LinkedHashMap<>());

  private final Subscriptions subscriptions;
  private Map<String, @Nullable Object> initialized = Map.of();
  private @Nullable Message failure;
  private boolean isStarted;
  private volatile boolean isClosed;

  /**
   * Prepares a session.
   *
   * @param isShared whether the connection outlives the session
   * @param memory for the calls that wait for input
   * @param relayed the methods of the server's requests that reach clients
   * @param onToolsChanged hears that the server says so, whether or not a client wants to know
   */
  ServerSession(
      Upstream server,
      boolean isShared,
      Map<String, @Nullable Object> clientCapabilities,
      MessageMemory memory,
      Set<String> relayed,
      Runnable onToolsChanged) {
    this.server = server;
    this.isShared = isShared;
    this.clientCapabilities = clientCapabilities;
    this.memory = memory;
    this.relayed = relayed;
    this.onToolsChanged = onToolsChanged;
    this.subscriptions = new Subscriptions(this::tellServer);
    server.unsolicited(this::unasked);
  }

  private void tellServer(String method, String uri) {
    Message request =
        Message.request("bridge-" + count.incrementAndGet(), method, Map.of("uri", uri));
    server.request(request, Forwarded.none(), message -> {});
  }

  /** Starts the session once; returns why it cannot start, or null. */
  synchronized @Nullable Message start(Message first, Forwarded headers) {
    if (isStarted) {
      return failure;
    }
    isStarted = true;
    Object info = first.meta().get(Revision.CLIENT_INFO);
    Map<String, @Nullable Object> params = new LinkedHashMap<>();
    params.put("protocolVersion", Revision.WITH_SESSIONS.getFirst());
    params.put("capabilities", clientCapabilities);
    params.put("clientInfo", info == null ? Map.of("name", "safeconduct", "version", "1") : info);
    Message answer = answer(server, Message.request("bridge-start", "initialize", params), headers);
    Map<String, @Nullable Object> result = answer.result();
    if (result == null) {
      failure = answer;
      return answer;
    }
    initialized = result;
    server.notify(Message.notification("notifications/initialized", Map.of()), headers);
    return null;
  }

  /** Returns the response to a request of the bridge, or an error in its place. */
  static Message answer(Upstream server, Message request, Forwarded headers) {
    return OwnRequest.answer(server, request, headers, LONGEST_ANSWER)
        .orElseGet(() ->
            Message.error(
                request.id(),
                RpcError.of(RpcError.INTERNAL_ERROR, "The MCP server does not answer.")));
  }

  /** Answers {@code server/discover} from what the server said at the start. */
  Message discovered(Message request) {
    var result = new LinkedHashMap<String, @Nullable Object>();
    result.put("resultType", "complete");
    result.put("supportedVersions", List.of(Revision.STATELESS));
    result.put("capabilities", Translation.capabilities(initialized.get("capabilities")));
    result.put("serverInfo", initialized.get("serverInfo"));
    if (initialized.get("instructions") != null) {
      result.put("instructions", initialized.get("instructions"));
    }
    result.put("ttlMs", 0);
    result.put("cacheScope", "private");
    Map<String, @Nullable Object> meta = new LinkedHashMap<>();
    meta.put(Revision.SERVER_INFO, initialized.get("serverInfo"));
    result.put("_meta", meta);
    return Message.result(request.id(), result);
  }

  /** Sends a request, or goes on with one that waited for input. */
  void request(Message request, Forwarded headers, Outlet outlet) {
    expire();
    Object state = request.params().get("requestState");
    if (request.method().equals("subscriptions/listen")) {
      subscriptions.open(request, outlet, initialized.get("capabilities"));
    } else if (state != null) {
      goOn(request, outlet, state);
    } else {
      send(request, headers, outlet);
    }
  }

  private void send(Message request, Forwarded headers, Outlet outlet) {
    Object sentId = "bridge-" + count.incrementAndGet();
    boolean wantsLogs = request.meta().containsKey(Revision.LOG_LEVEL);
    var call = new SessionCall(sentId, request, outlet, wantsLogs, waiting, memory);
    calls.put(sentId, call);
    Message sent =
        request.with("id", sentId).with("params", Translation.withMeta(request.params(), Map.of()));
    server.request(sent, headers, message -> take(call, message));
  }

  private void goOn(Message request, Outlet outlet, Object state) {
    SessionCall call = waiting.get(String.valueOf(state));
    if (call == null
        || !call.isContinuedBy(request)
        || !waiting.remove(String.valueOf(state), call)) {
      refuseState(request, outlet);
      return;
    }
    Message toServer = call.goOn(request, outlet, newState());
    if (toServer != null) {
      server.respond(toServer);
    }
  }

  private static void refuseState(Message request, Outlet outlet) {
    outlet.send(
        Message.error(
            request.id(),
            RpcError.of(
                RpcError.INVALID_PARAMS, "requestState is not of this request, or too old.")));
  }

  private String newState() {
    byte[] bytes = new byte[STATE_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private void take(SessionCall call, Message message) {
    switch (message.kind()) {
      case RESPONSE -> {
        calls.remove(call.sentId(), call);
        call.answer(translated(call.request(), message));
      }
      case NOTIFICATION -> {
        if (isOfSubscription(message)) {
          subscribed(message);
        } else {
          call.tell(message);
        }
      }
      case REQUEST -> ask(call, message);
    }
  }

  private static Message translated(Message request, Message answer) {
    Map<String, @Nullable Object> result = answer.result();
    if (result == null) {
      Map<String, @Nullable Object> error =
          new LinkedHashMap<>(Message.objectOrEmpty(answer.error()));
      if (error.get("code") instanceof Number code && code.intValue() == RESOURCE_NOT_FOUND) {
        error.put("code", RpcError.INVALID_PARAMS);
        return answer.with("error", error);
      }
      return answer;
    }
    Map<String, @Nullable Object> complete = new LinkedHashMap<>();
    complete.put("resultType", "complete");
    if (request.method().endsWith("/list") || request.method().equals("resources/read")) {
      complete.put("ttlMs", 0);
      complete.put("cacheScope", "private");
    }
    complete.putAll(result);
    return answer.with("result", complete);
  }

  private void ask(@Nullable SessionCall call, Message input) {
    if (input.method().equals("ping")) {
      server.respond(Message.result(input.id(), Map.of()));
    } else if (call == null
        || isClosed // Its client would not find the call again.
        || !relayed.contains(input.method())
        || !Translation.isInput(input.method())
        || !clientCapabilities.containsKey(Translation.capability(input.method()))) {
      refuse(input);
    } else {
      SessionCall.Asked asked = call.ask(input, newState());
      while (asked == SessionCall.Asked.NO_ROOM && !waiting.isEmpty()) {
        end(surplus(waiting.size() - 1));
        asked = call.ask(input, newState());
      }
      switch (asked) {
        case NOW -> end(surplus(isClosed ? 0 : MAX_WAITING));
        case LATER -> {
          // The client gets it when it comes back.
        }
        case REFUSED, NO_ROOM -> refuse(input);
      }
    }
  }

  private void refuse(Message input) {
    server.respond(
        Message.error(
            input.id(),
            RpcError.of(RpcError.METHOD_NOT_FOUND, "The client cannot be asked for this.")));
  }

  /** Takes what the server sends without saying for which request. */
  private void unasked(Message message) {
    List<SessionCall> active =
        calls.values().stream().filter(call -> !call.isWaitingForInput()).toList();
    SessionCall only = active.size() == 1 ? active.getFirst() : null;
    if (message.kind() == Kind.REQUEST) {
      ask(only, message); // With several calls, nobody knows whose user is meant.
    } else if (message.method().equals("notifications/message")) {
      if (only != null) {
        only.tell(message);
      }
    } else {
      subscribed(message);
    }
  }

  /** Tells those that clients without sessions get only as they subscribe to them. */
  private static boolean isOfSubscription(Message notification) {
    String method = notification.method();
    return method.endsWith("/list_changed") || method.equals("notifications/resources/updated");
  }

  private void subscribed(Message notification) {
    if (notification.method().equals(TOOLS_CHANGED)) {
      onToolsChanged.run();
    }
    subscriptions.tell(notification);
  }

  /** Returns those that waited longest, of the calls above the limit. */
  private List<Map.Entry<String, SessionCall>> surplus(int most) {
    synchronized (waiting) {
      return waiting.entrySet().stream()
          .limit(Math.max(0, waiting.size() - most))
          .map(Map.Entry::copyOf)
          .toList();
    }
  }

  /** Ends what waits too long for input. */
  private void expire() {
    long now = System.nanoTime();
    List<Map.Entry<String, SessionCall>> over;
    synchronized (waiting) {
      over =
          waiting.entrySet().stream()
              .filter(each -> now - each.getValue().startedAt() > LONGEST_INPUT.toNanos())
              .map(Map.Entry::copyOf)
              .toList();
    }
    end(over);
  }

  /** Ends calls that still wait with these states; those that went on meanwhile do not. */
  private void end(List<Map.Entry<String, SessionCall>> over) {
    for (Map.Entry<String, SessionCall> each : over) {
      if (waiting.remove(each.getKey(), each.getValue())) {
        each.getValue().end().forEach(this::refuse);
      }
    }
  }

  /** Cancels a request of a client. */
  void cancel(Object id) {
    subscriptions.close(id);
    for (SessionCall call : List.copyOf(calls.values())) {
      if (call.isOpenAs(id) && calls.remove(call.sentId(), call)) {
        call.end().forEach(this::refuse);
        cancelAtServer(call);
      }
    }
  }

  private void cancelAtServer(SessionCall call) {
    server.notify(
        Message.notification(Translation.CANCELLED, Map.of("requestId", call.sentId())),
        Forwarded.none());
  }

  /** Ends what is under way in a session that the server has ended: it may never answer. */
  void lost() {
    for (SessionCall call : List.copyOf(calls.values())) {
      if (calls.remove(call.sentId(), call)) {
        call.answer(Message.error(call.sentId(), LOST));
        cancelAtServer(call);
      }
    }
    subscriptions.end(LOST);
    close();
  }

  /** Gives back what the calls that wait take, and closes the connection if it has its own. */
  @Override
  public void close() {
    isClosed = true;
    List<SessionCall> left;
    synchronized (waiting) {
      left = List.copyOf(waiting.values());
      waiting.clear();
    }
    for (SessionCall call : left) {
      List<Message> unanswered = call.end();
      if (isShared) {
        unanswered.forEach(this::refuse); // The connection goes on.
      }
    }
    if (!isShared) {
      server.close();
    }
  }
}
