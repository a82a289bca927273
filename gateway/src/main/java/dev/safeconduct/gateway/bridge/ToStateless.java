package dev.safeconduct.gateway.bridge;

import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Message.Kind;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.Repeats;
import dev.safeconduct.gateway.upstream.Upstream;
import java.util.HashSet;
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
  private static final String WAS_CANCELLED = "The request was cancelled.";

  private final Upstream server;
  private final Repeats repeats;
  private final AtomicInteger count = new AtomicInteger();
  private final Map<Object, Question> asked = new ConcurrentHashMap<>();

  /** By the client's ids, the requests that can be cancelled here. */
  private final Map<Object, Round> rounds = new ConcurrentHashMap<>();

  private final Set<String> resources = ConcurrentHashMap.newKeySet();
  private volatile Map<String, @Nullable Object> client = Map.of();
  private volatile Map<String, @Nullable Object> capabilities = Map.of();
  private volatile @Nullable Object logLevel;
  private @Nullable String listening;
  private Map<String, @Nullable Object> listensFor = Map.of();
  private volatile Outlet unsolicited = message -> {};

  ToStateless(Upstream server, Repeats repeats) {
    this.server = server;
    this.repeats = repeats;
  }

  /** A request that the server gets, until its response or until the client's answers go out. */
  private final class Round {
    private final Message call;
    private final Object id;
    private final Object sentId;
    private final Forwarded headers;
    private final Outlet outlet;
    private final int number;
    private final Set<Object> open = new HashSet<>();
    private final Map<String, @Nullable Object> answers = new LinkedHashMap<>();
    private @Nullable Object state;
    private boolean isAnswered;
    private boolean isOver;

    private Round(Message call, Forwarded headers, Outlet outlet, int number) {
      this.call = call;
      this.id = Objects.requireNonNull(call.id());
      this.sentId = number == 0 ? id : "bridge-" + count.incrementAndGet();
      this.headers = headers;
      this.outlet = outlet;
      this.number = number;
    }

    private void send() {
      rounds.put(id, this);
      Message sent = call.with("params", Translation.withMeta(call.params(), meta()));
      server.request(number == 0 ? sent : sent.with("id", sentId), headers, this::hear);
    }

    private void hear(Message message) {
      if (message.kind() != Kind.RESPONSE) {
        outlet.send(message);
        return;
      }
      Map<String, @Nullable Object> result = message.result();
      if (result == null || !"input_required".equals(result.get("resultType"))) {
        rounds.remove(id, this);
        outlet.send(number == 0 ? message : message.with("id", id));
      } else if (number >= MAX_ROUNDS) {
        rounds.remove(id, this);
        fail("The server asks too many times.");
      } else {
        ask(result.get("requestState"), Message.objectOrEmpty(result.get("inputRequests")));
      }
    }

    private synchronized void ask(
        @Nullable Object requestState, Map<String, @Nullable Object> requests) {
      isAnswered = true;
      state = requestState;
      if (isOver) {
        fail(WAS_CANCELLED);
        return;
      }
      for (Map.Entry<String, @Nullable Object> each : requests.entrySet()) {
        if (isOver) {
          return; // The gateway refused the one before, which ends the call.
        }
        Map<String, @Nullable Object> request = Message.objectOrEmpty(each.getValue());
        String asking = "bridge-" + count.incrementAndGet();
        open.add(asking);
        asked.put(asking, new Question(this, each.getKey()));
        outlet.send(
            Message.request(
                asking,
                String.valueOf(request.get("method")),
                Message.objectOrEmpty(request.get("params"))));
      }
      if (requests.isEmpty()) {
        goOn();
      }
    }

    private synchronized void take(String key, Message answer) {
      if (isOver) {
        return;
      }
      open.remove(Objects.requireNonNull(answer.id()));
      Map<String, @Nullable Object> result = answer.result();
      if (result == null) {
        rounds.remove(id, this);
        end("The client does not answer the server's request.");
        return;
      }
      answers.put(key, result);
      if (open.isEmpty()) {
        goOn();
      }
    }

    private void goOn() {
      Map<String, @Nullable Object> params = new LinkedHashMap<>(call.params());
      params.put("inputResponses", answers);
      if (state != null) {
        params.put("requestState", state);
      }
      Message next = call.with("params", params);
      isOver = true;
      rounds.remove(id, this);
      // The thread that reads the answers must not wait for a decision.
      Thread.startVirtualThread(() ->
          repeats.repeat(
              call,
              next,
              headers,
              (fields, answer) -> new Round(next, fields, answer, number + 1).send()));
    }

    /** Ends it for its client, who is no longer asked either; returns whether the server has it. */
    private synchronized boolean cancel() {
      if (isAnswered && !isOver) {
        end(WAS_CANCELLED);
      }
      isOver = true;
      return !isAnswered;
    }

    private void end(String why) {
      isOver = true;
      for (Object asking : open) {
        asked.remove(asking);
        outlet.send(Message.notification(Translation.CANCELLED, Map.of("requestId", asking)));
      }
      open.clear();
      fail(why);
    }

    private void fail(String why) {
      outlet.send(Message.error(id, RpcError.of(RpcError.INTERNAL_ERROR, why)));
    }
  }

  /** What the server asks by a key in a result. */
  private record Question(Round round, String key) {}

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
        if (!(params.get("uri") instanceof String uri)) {
          // Its text would be another resource than the one that was decided on.
          outlet.send(
              Message.error(
                  request.id(), RpcError.of(RpcError.INVALID_PARAMS, "uri is not a string.")));
          return;
        }
        if (request.method().endsWith("/subscribe")) {
          resources.add(uri);
        } else {
          resources.remove(uri);
        }
        listen();
        outlet.send(Message.result(request.id(), Map.of()));
      }
      default -> new Round(request, headers, outlet, 0).send();
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

  @Override
  public void respond(Message response) {
    Question question = response.id() == null ? null : asked.remove(response.id());
    if (question != null) {
      question.round().take(question.key(), response);
    }
  }

  @Override
  public void notify(Message notification, Forwarded headers) {
    switch (notification.method()) {
      case "notifications/initialized" -> listen();
      case Translation.CANCELLED -> {
        Object id = Message.idOf(notification.params().get("requestId"));
        Round round = id == null ? null : rounds.remove(id);
        if (round != null && round.cancel()) {
          server.notify(
              Message.notification(Translation.CANCELLED, Map.of("requestId", round.sentId)),
              headers);
        }
      }
      default -> {
        // Servers without sessions take no other notifications.
      }
    }
  }

  /**
   * Asks the server for the notifications that a server with sessions sends by itself. Does not ask
   * again for the same ones: that would need new decisions on their resources.
   */
  private synchronized void listen() {
    Map<String, @Nullable Object> wanted = new LinkedHashMap<>();
    for (String kind : List.of("tools", "prompts", "resources")) {
      if (Boolean.TRUE.equals(Message.objectOrEmpty(capabilities.get(kind)).get("listChanged"))) {
        wanted.put(kind + "ListChanged", true);
      }
    }
    if (!resources.isEmpty()) {
      wanted.put("resourceSubscriptions", resources.stream().sorted().toList());
    }
    String before = listening;
    if (before != null) {
      if (wanted.equals(listensFor)) {
        return;
      }
      server.notify(
          Message.notification(Translation.CANCELLED, Map.of("requestId", before)),
          Forwarded.none());
    }
    if (wanted.isEmpty()) {
      listening = null;
      return;
    }
    String id = "bridge-listen-" + count.incrementAndGet();
    listening = id;
    listensFor = wanted;
    Message request =
        Message.request(
            id, "subscriptions/listen", Map.of("_meta", meta(), "notifications", wanted));
    Outlet outlet =
        message -> {
          if (message.kind() == Kind.RESPONSE) {
            ended(id);
          } else {
            heard(message);
          }
        };
    Thread.startVirtualThread(() -> server.request(request, Forwarded.none(), outlet));
  }

  private synchronized void ended(String id) {
    if (id.equals(listening)) {
      listening = null;
    }
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
