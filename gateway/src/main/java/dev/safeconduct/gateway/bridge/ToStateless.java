package dev.safeconduct.gateway.bridge;

import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Message.Kind;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.Upstream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Gives a client with a session a server without: what the client said at the start goes with every
 * request, and what the server asks in a result is asked in requests.
 */
final class ToStateless implements Upstream {
  private static final int MAX_ROUNDS = 10;

  private final Upstream server;
  private final AtomicInteger count = new AtomicInteger();
  private final Map<Object, Input> asked = new ConcurrentHashMap<>();
  private final Map<Object, Object> sentIds = new ConcurrentHashMap<>();
  private final Set<String> resources = ConcurrentHashMap.newKeySet();
  private volatile Map<String, @Nullable Object> client = Map.of();
  private volatile Map<String, @Nullable Object> capabilities = Map.of();
  private volatile @Nullable Object logLevel;
  private volatile @Nullable String listening;
  private volatile Outlet unsolicited = message -> {};

  ToStateless(Upstream server) {
    this.server = server;
  }

  /** What a result asks, and how far the client has answered. */
  private final class Input {
    private final Message call;
    private final Forwarded headers;
    private final Outlet outlet;
    private final int round;
    private final @Nullable Object state;
    private final Map<Object, String> open = new ConcurrentHashMap<>();
    private final Map<String, @Nullable Object> answers = new LinkedHashMap<>();

    private Input(
        Message call, Forwarded headers, Outlet outlet, int round, @Nullable Object state) {
      this.call = call;
      this.headers = headers;
      this.outlet = outlet;
      this.round = round;
      this.state = state;
    }

    private void ask(Map<String, @Nullable Object> requests) {
      var messages = new LinkedHashMap<Object, Message>();
      requests.forEach((key, each) -> {
        Map<String, @Nullable Object> request = Message.objectOrEmpty(each);
        String id = "bridge-" + count.incrementAndGet();
        messages.put(
            id,
            Message.request(
                id,
                String.valueOf(request.get("method")),
                Message.objectOrEmpty(request.get("params"))));
        open.put(id, key);
      });
      messages.keySet().forEach(id -> asked.put(id, this));
      messages.values().forEach(outlet::send);
      if (messages.isEmpty()) {
        goOn();
      }
    }

    private void take(Message answer) {
      boolean isComplete;
      synchronized (this) {
        String key = open.remove(Objects.requireNonNull(answer.id()));
        if (key == null) {
          return;
        }
        Map<String, @Nullable Object> result = answer.result();
        if (result == null) {
          open.keySet().forEach(asked::remove);
          open.clear();
          outlet.send(
              Message.error(
                  call.id(),
                  RpcError.of(
                      RpcError.INTERNAL_ERROR,
                      "The client does not answer the server's request.")));
          return;
        }
        answers.put(key, result);
        isComplete = open.isEmpty();
      }
      if (isComplete) {
        goOn();
      }
    }

    private void goOn() {
      Map<String, @Nullable Object> params = new LinkedHashMap<>(call.params());
      params.put("inputResponses", answers);
      if (state != null) {
        params.put("requestState", state);
      }
      Message retry = call.with("params", params);
      Thread.startVirtualThread(() -> send(retry, headers, outlet, round + 1));
    }
  }

  @Override
  public void request(Message request, Forwarded headers, Outlet outlet) {
    Map<String, @Nullable Object> params = request.params();
    switch (request.method()) {
      case "initialize" -> initialize(request, headers, outlet);
      case "ping" -> outlet.send(Message.result(request.id(), Map.of()));
      case "logging/setLevel" -> {
        logLevel = params.get("level");
        outlet.send(Message.result(request.id(), Map.of()));
      }
      case "resources/subscribe", "resources/unsubscribe" -> {
        String uri = String.valueOf(params.get("uri"));
        boolean isChanged =
            request.method().endsWith("/subscribe") ? resources.add(uri) : resources.remove(uri);
        if (isChanged) {
          listen();
        }
        outlet.send(Message.result(request.id(), Map.of()));
      }
      default -> send(request, headers, outlet, 0);
    }
  }

  private void initialize(Message request, Forwarded headers, Outlet outlet) {
    Map<String, @Nullable Object> params = request.params();
    Map<String, @Nullable Object> meta = new LinkedHashMap<>();
    meta.put(Revision.VERSION, Revision.STATELESS);
    meta.put(Revision.CLIENT_INFO, params.get("clientInfo"));
    meta.put(Revision.CAPABILITIES, Translation.capabilities(params.get("capabilities")));
    client = meta;
    Object asked = params.get("protocolVersion");
    // The connection may still know the client's own request by its id.
    String id = "bridge-" + count.incrementAndGet();
    Message discover = Message.request(id, "server/discover", Map.of("_meta", meta));
    server.request(
        discover,
        headers,
        message -> {
          Map<String, @Nullable Object> found = message.result();
          if (found == null) {
            outlet.send(message.with("id", request.id()));
            return;
          }
          capabilities = Translation.capabilities(found.get("capabilities"));
          var result = new LinkedHashMap<String, @Nullable Object>();
          result.put(
              "protocolVersion",
              Revision.WITH_SESSIONS.contains(asked) ? asked : Revision.WITH_SESSIONS.getFirst());
          result.put("capabilities", capabilities);
          Object self = Message.objectOrEmpty(found.get("_meta")).get(Revision.SERVER_INFO);
          result.put("serverInfo", self == null ? found.get("serverInfo") : self);
          if (found.get("instructions") != null) {
            result.put("instructions", found.get("instructions"));
          }
          outlet.send(Message.result(request.id(), result));
        });
  }

  private Map<String, @Nullable Object> meta() {
    Map<String, @Nullable Object> meta = new LinkedHashMap<>(client);
    if (logLevel != null) {
      meta.put(Revision.LOG_LEVEL, logLevel);
    }
    return meta;
  }

  private void send(Message call, Forwarded headers, Outlet outlet, int round) {
    Object id = Objects.requireNonNull(call.id());
    Object sentId = round == 0 ? id : "bridge-" + count.incrementAndGet();
    sentIds.put(id, sentId);
    Message sent = call.with("params", Translation.withMeta(call.params(), meta()));
    server.request(
        round == 0 ? sent : sent.with("id", sentId),
        headers,
        message -> {
          if (message.kind() != Kind.RESPONSE) {
            outlet.send(message);
            return;
          }
          Map<String, @Nullable Object> result = message.result();
          sentIds.remove(id, sentId);
          if (result == null || !"input_required".equals(result.get("resultType"))) {
            outlet.send(round == 0 ? message : message.with("id", id));
          } else if (round >= MAX_ROUNDS) {
            outlet.send(
                Message.error(
                    id, RpcError.of(RpcError.INTERNAL_ERROR, "The server asks too many times.")));
          } else {
            new Input(call, headers, outlet, round, result.get("requestState"))
                .ask(Message.objectOrEmpty(result.get("inputRequests")));
          }
        });
  }

  @Override
  public void respond(Message response) {
    Input input = response.id() == null ? null : asked.remove(response.id());
    if (input != null) {
      input.take(response);
    }
  }

  @Override
  public void notify(Message notification, Forwarded headers) {
    switch (notification.method()) {
      case "notifications/initialized" -> listen();
      case Translation.CANCELLED -> {
        Object id = Message.idOf(notification.params().get("requestId"));
        Object sentId = id == null ? null : sentIds.remove(id);
        if (sentId != null) {
          server.notify(
              Message.notification(Translation.CANCELLED, Map.of("requestId", sentId)), headers);
        }
      }
      default -> {
        // Servers without sessions take no other notifications.
      }
    }
  }

  /** Asks the server for the notifications that a server with sessions sends by itself. */
  private synchronized void listen() {
    String before = listening;
    if (before != null) {
      server.notify(
          Message.notification(Translation.CANCELLED, Map.of("requestId", before)),
          Forwarded.none());
    }
    Map<String, @Nullable Object> wanted = new LinkedHashMap<>();
    for (String kind : List.of("tools", "prompts", "resources")) {
      if (Boolean.TRUE.equals(Message.objectOrEmpty(capabilities.get(kind)).get("listChanged"))) {
        wanted.put(kind + "ListChanged", true);
      }
    }
    if (!resources.isEmpty()) {
      wanted.put("resourceSubscriptions", List.copyOf(resources));
    }
    if (wanted.isEmpty()) {
      listening = null;
      return;
    }
    String id = "bridge-listen-" + count.incrementAndGet();
    listening = id;
    Message request =
        Message.request(
            id, "subscriptions/listen", Map.of("_meta", meta(), "notifications", wanted));
    Thread.startVirtualThread(() -> server.request(request, Forwarded.none(), this::heard));
  }

  private void heard(Message message) {
    if (message.kind() == Kind.NOTIFICATION
        && !message.method().equals("notifications/subscriptions/acknowledged")) {
      unsolicited.send(message.with("params", Translation.withMeta(message.params(), Map.of())));
    }
  }

  @Override
  public void unsolicited(Outlet outlet) {
    unsolicited = outlet;
    server.unsolicited(this::heard); // Over stdio they come there.
  }

  @Override
  public void close() {
    server.close();
  }
}
