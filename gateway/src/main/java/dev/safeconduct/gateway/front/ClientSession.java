package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.relay.Principal;
import dev.safeconduct.gateway.relay.Session;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Message.Kind;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.ConnectionListener;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client over HTTP at one endpoint: its session, or, in the revisions without sessions, all that
 * one principal sends. Thread-safe.
 */
final class ClientSession implements ConnectionListener, AutoCloseable {
  private static final int MAX_FINISHED = 32;
  private static final Duration LONGEST_LIST = Duration.ofSeconds(20);
  private static final int MAX_PAGES = 50;

  private final Principal principal;
  private final McpEndpoint endpoint;
  private final boolean isStateless;
  private final int maxOpen;
  private final Consumer<ClientSession> onLost;
  private final Session session;
  private final Map<String, ClientStream> streams = new ConcurrentHashMap<>();
  private final Map<Object, ClientStream> open = new ConcurrentHashMap<>();

  /** The ids of requests that are being cancelled: no other may have them until that is done. */
  private final Set<Object> cancelling = ConcurrentHashMap.newKeySet();

  private final MessageMemory memory;
  private final ClientStream general;
  private final AtomicInteger count = new AtomicInteger();
  private volatile long usedAt = System.nanoTime();
  private volatile boolean isLost;

  /**
   * Connects to the endpoint's server.
   *
   * @param maxOpen how many requests may wait for their responses
   * @param memory for the messages of the server, and for the events that clients may come back for
   * @param onLost takes this session when the server ended it
   * @throws Refusal when the server does not start
   */
  ClientSession(
      Principal principal,
      McpEndpoint endpoint,
      boolean isStateless,
      int maxOpen,
      MessageMemory memory,
      Consumer<ClientSession> onLost)
      throws Refusal {
    this.principal = principal;
    this.endpoint = endpoint;
    this.isStateless = isStateless;
    this.maxOpen = maxOpen;
    this.onLost = onLost;
    this.memory = memory;
    this.general = new ClientStream(null, "0", memory.forKept(), memory.forKept(), _ -> {});
    streams.put("0", general);
    try {
      session =
          new Session(
              principal,
              endpoint.policy(),
              endpoint.connector().connect(memory, this),
              Runnable::run,
              this::route);
    } catch (IOException e) {
      throw Refusal.of(502, "The MCP server does not start.");
    }
  }

  boolean isOf(Principal other, McpEndpoint where) {
    return principal.equals(other) && endpoint.name().equals(where.name());
  }

  Principal principal() {
    return principal;
  }

  /**
   * Takes a request, and returns when the client has its answer or is gone.
   *
   * @param held what the request takes of the memory; given back when it has its response
   * @param onStart hears of the response, or of what comes before, first
   */
  void request(
      Message message, MessageMemory.Part held, Forwarded headers, Sink sink, FirstMessage onStart)
      throws Refusal, InterruptedException {
    usedAt = System.nanoTime();
    if (open.size() >= maxOpen) {
      throw Refusal.of(429, message.id(), RpcError.of(-32000, "Too many requests are open."));
    }
    Message sent = isStateless ? unique(message) : message;
    Object id = Objects.requireNonNull(sent.id());
    String name = isStateless ? null : Integer.toString(count.incrementAndGet());
    var stream = new ClientStream(message, name, held, memory.forKept(), gone -> gone(id, gone));
    if (!isFree(id, stream)) {
      if (isStateless) {
        request(message, held, headers, sink, onStart); // Another client has just taken the id.
        return;
      }
      throw Refusal.of(
          400, message.id(), RpcError.of(RpcError.INVALID_REQUEST, "Another request has this id."));
    }
    if (name != null) {
      streams.put(name, stream);
    }
    stream.attach(sink);
    session.receive(sent, headers, answer -> take(stream, message, sent, answer, onStart));
    stream.await();
    if (stream.isFinished() && !stream.isResumable() && name != null) {
      drop(name);
    }
  }

  private boolean isFree(Object id, ClientStream stream) {
    if (open.putIfAbsent(id, stream) != null) {
      return false;
    }
    return !cancelling.contains(id) || !open.remove(id, stream);
  }

  private void drop(String name) {
    ClientStream stream = streams.remove(name);
    if (stream != null) {
      stream.drop();
    }
  }

  /** Hears of the first message that answers a request. */
  @FunctionalInterface
  interface FirstMessage {
    void accept(ClientStream stream, Message message);
  }

  private void take(
      ClientStream stream, Message request, Message sent, Message answer, FirstMessage onStart) {
    if (answer.kind() == Kind.RESPONSE) {
      open.remove(Objects.requireNonNull(sent.id()), stream);
      Map<String, @Nullable Object> result = answer.result();
      if (result != null && request.method().equals("tools/list")) {
        endpoint.tools().learn(result);
      }
    }
    onStart.accept(stream, answer);
    stream.send(sent == request ? answer : restored(request, sent, answer));
  }

  /** Clients choose ids and progress tokens as they like; those of several may be the same. */
  private Message unique(Message message) {
    Object token = message.meta().get("progressToken");
    boolean isTaken =
        open.containsKey(Objects.requireNonNull(message.id()))
            || cancelling.contains(message.id())
            || (token != null && byProgressToken(token).isPresent());
    if (!isTaken) {
      return message;
    }
    String id = "gateway-" + count.incrementAndGet();
    Message renamed = message.with("id", id);
    return token == null ? renamed : withMeta(renamed, "progressToken", id);
  }

  private static Message restored(Message request, Message sent, Message answer) {
    if (answer.kind() == Kind.RESPONSE) {
      return answer.with("id", request.id());
    }
    if (answer.method().equals("notifications/progress")) {
      Map<String, @Nullable Object> params = new LinkedHashMap<>(answer.params());
      params.put("progressToken", request.meta().get("progressToken"));
      return answer.with("params", params);
    }
    return Objects.equals(answer.meta().get(Revision.SUBSCRIPTION), sent.id())
        ? withMeta(answer, Revision.SUBSCRIPTION, request.id())
        : answer;
  }

  private static Message withMeta(Message message, String member, @Nullable Object value) {
    Map<String, @Nullable Object> meta = new LinkedHashMap<>(message.meta());
    meta.put(member, value);
    Map<String, @Nullable Object> params = new LinkedHashMap<>(message.params());
    params.put("_meta", meta);
    return message.with("params", params);
  }

  /** Without sessions, a client cancels by closing its connection. */
  private void gone(Object id, ClientStream stream) {
    Message notification = Message.notification("notifications/cancelled", Map.of("requestId", id));
    Thread.startVirtualThread(() -> cancel(id, stream, notification, Forwarded.none()));
  }

  /**
   * Takes a notification, or an answer to a request of the server. Without sessions, clients send
   * neither over HTTP, and what one sends could be about another's request.
   */
  void tell(Message message, Forwarded headers) {
    usedAt = System.nanoTime();
    if (isStateless) {
      endpoint.policy().log("dropped the client's " + PolicyClient.printable(message.method()));
      return;
    }
    Object id =
        message.method().equals("notifications/cancelled")
            ? Message.idOf(message.params().get("requestId"))
            : null;
    ClientStream cancelled = id == null ? null : open.get(id);
    if (id == null || cancelled == null) {
      session.receive(message, headers, answer -> {});
    } else {
      cancel(id, cancelled, message, headers);
    }
  }

  private void cancel(Object id, ClientStream stream, Message notification, Forwarded headers) {
    if (!cancelling.add(id)) {
      return;
    }
    try {
      if (open.get(id) == stream) {
        session.receive(notification, headers, answer -> {});
        if (open.remove(id, stream)) {
          stream.finish(); // Many servers do not answer what was cancelled.
        }
      }
    } finally {
      cancelling.remove(id);
    }
  }

  /** Lists the tools, so that the headers of a call can be compared with it. */
  void learnTools(Message call) throws Refusal, InterruptedException {
    long deadline = System.nanoTime() + LONGEST_LIST.toNanos();
    Object cursor = null;
    int page = 0;
    do {
      Map<String, @Nullable Object> result = toolsPage(call, cursor, deadline);
      endpoint.tools().learn(result);
      cursor = result.get("nextCursor");
    } while (cursor != null && ++page < MAX_PAGES);
  }

  private Map<String, @Nullable Object> toolsPage(
      Message call, @Nullable Object cursor, long deadline) throws Refusal, InterruptedException {
    Map<String, @Nullable Object> params = new LinkedHashMap<>();
    Map<String, @Nullable Object> meta = new LinkedHashMap<>(call.meta());
    meta.remove("progressToken");
    params.put("_meta", meta);
    if (cursor != null) {
      params.put("cursor", cursor);
    }
    var result = new CompletableFuture<Map<String, @Nullable Object>>();
    Message list = Message.request("gateway-tools-" + UUID.randomUUID(), "tools/list", params);
    // A connection over HTTP holds its caller up to the response, however long that takes.
    Thread.startVirtualThread(() ->
        session.receive(
            list,
            Forwarded.none(),
            answer -> {
              if (answer.kind() == Kind.RESPONSE) {
                result.complete(Objects.requireNonNullElse(answer.result(), Map.of()));
              }
            }));
    try {
      return result.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException _) {
      Message late =
          Message.notification(
              "notifications/cancelled", Map.of("requestId", Objects.requireNonNull(list.id())));
      Thread.startVirtualThread(() -> session.receive(late, Forwarded.none(), answer -> {}));
      throw Refusal.of(504, "The MCP server does not list its tools.");
    }
  }

  /** Writes the session's own stream, or goes on with one that broke, and returns at its end. */
  void listen(@Nullable String lastEventId, Sink sink) throws Refusal, InterruptedException {
    usedAt = System.nanoTime();
    ClientStream stream = general;
    boolean attached;
    if (lastEventId == null) {
      attached = general.attach(sink);
    } else {
      String[] parts = lastEventId.split("-", 2);
      Optional<ClientStream> known = Optional.ofNullable(streams.get(parts[0]));
      if (known.isEmpty() || parts.length < 2 || !parts[1].matches("[0-9]{1,9}")) {
        throw Refusal.of(400, "Last-Event-ID is not the id of an event of this session.");
      }
      stream = known.get();
      attached = stream.attach(sink, Integer.parseInt(parts[1]));
    }
    if (!attached) {
      throw Refusal.of(409, "The stream has a reader, or what follows the event is gone.");
    }
    stream.await();
  }

  /** Finds where a message belongs that the server sends without saying for which request. */
  private void route(Message message) {
    ClientStream target = general;
    List<ClientStream> waiting = List.copyOf(open.values());
    Object subscription = message.meta().get(Revision.SUBSCRIPTION);
    if (message.method().equals("notifications/progress")) {
      target = byProgressToken(message.params().get("progressToken")).orElse(general);
    } else if (subscription != null && open.containsKey(subscription)) {
      target = open.get(subscription);
    } else if (message.kind() == Kind.REQUEST && !general.isAttached() && !waiting.isEmpty()) {
      target = waiting.getLast();
    } else if (message.method().equals("notifications/message") && waiting.size() == 1) {
      target = waiting.getFirst();
    }
    if (target != null && !(isStateless && target == general)) {
      target.send(message);
    }
  }

  private Optional<ClientStream> byProgressToken(@Nullable Object token) {
    return open.values().stream()
        .filter(stream -> token != null && token.equals(stream.progressToken()))
        .findFirst();
  }

  @Override
  public void streaming(Object id) {
    ClientStream stream = open.get(id);
    // The headers of the first answer have the session's id, once there is a session.
    if (stream != null && !stream.method().equals("initialize")) {
      stream.start();
    }
  }

  @Override
  public void interrupted(Object id, Duration retry) {
    ClientStream stream = open.get(id);
    if (stream != null) {
      stream.interrupt(retry);
    }
  }

  /** Whether the server has ended the session. */
  boolean isLost() {
    return isLost;
  }

  @Override
  public void lost() {
    isLost = true;
    open.values().forEach(stream -> stream.status(404));
    onLost.accept(this);
  }

  /** Keeps silent connections open and forgets what no client comes back for. */
  void sweep(Duration silence) {
    open.values().forEach(stream -> stream.keepAlive(silence));
    general.keepAlive(silence);
    List<String> finished =
        streams.entrySet().stream()
            .filter(entry -> entry.getValue().isFinished() && !entry.getValue().isAttached())
            .map(Map.Entry::getKey)
            .sorted((a, b) -> Integer.compare(Integer.parseInt(a), Integer.parseInt(b)))
            .toList();
    finished.stream().limit(Math.max(0, finished.size() - MAX_FINISHED)).forEach(this::drop);
  }

  /** A request whose client is gone keeps the session no longer than none. */
  boolean isIdle(Duration limit) {
    return System.nanoTime() - usedAt > limit.toNanos()
        && !general.isAttached()
        && open.values().stream().noneMatch(ClientStream::isAttached);
  }

  @Override
  public void close() {
    session.close();
    streams.values().forEach(ClientStream::finish);
    streams.values().forEach(ClientStream::drop);
    open.values().forEach(ClientStream::finish);
  }
}
