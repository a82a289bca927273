package dev.safeconduct.gateway.bridge;

import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.ConnectionListener;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.OwnRequest;
import dev.safeconduct.gateway.upstream.Repeats;
import dev.safeconduct.gateway.upstream.Upstream;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Connects a client to a server whatever the revision of each. A server that knows the client's
 * kind of revision gets its messages as they are. It is asked once, with the client's first
 * request: with {@code initialize}, or else with {@code server/discover}.
 */
public final class BridgedUpstream implements Upstream {
  private static final int MAX_SESSIONS = 16;
  private static final Set<Integer> STATELESS_ERRORS =
      Set.of(Revision.HEADER_MISMATCH, Revision.MISSING_CAPABILITY, Revision.UNSUPPORTED_VERSION);

  private static final Map<String, Object> PROBE =
      Map.of(
          Revision.VERSION,
          Revision.STATELESS,
          Revision.CLIENT_INFO,
          Map.of("name", "safeconduct", "version", "1"),
          Revision.CAPABILITIES,
          Map.of());

  private final Connector connector;
  private final MessageMemory memory;
  private final MessageMemory waiting;
  private final Lost first;
  private final Upstream server;
  private final ServerKind kind;
  private final ConnectionListener listener;
  private final Map<Map<String, @Nullable Object>, ServerSession> sessions =
      new LinkedHashMap<>(16, 0.75f, true);

  /** Requests that wait until it is known how the server gets them; cancelled ones are not here. */
  private final Map<Object, Message> starting = new ConcurrentHashMap<>();

  private volatile Upstream chosen;

  /**
   * Whether the first connection has carried no session, neither the client's nor a held one. What
   * the server still sends for one, as a late answer to its start, would be taken for the next.
   */
  private boolean isFree = true;

  private boolean hasClientsSession;
  private volatile Outlet unsolicited = message -> {};
  private volatile Repeats repeats = (before, next, headers, send) -> {};
  private volatile Runnable onToolsChanged = () -> {};

  /** Opens connections to the server. */
  @FunctionalInterface
  public interface Connector {
    /**
     * Opens one.
     *
     * @param memory for the messages of the server
     * @throws IOException if the server cannot be started
     */
    Upstream connect(MessageMemory memory, ConnectionListener listener) throws IOException;
  }

  /** What is known of a server, shared by its connections. */
  public static final class ServerKind {
    private static final long KNOWN_NANOS = Duration.ofMinutes(5).toNanos();

    private final Set<String> relayed;
    private final Duration longestAnswer;
    private @Nullable Boolean isStateless;
    private boolean isSilent;
    private long askedAt;

    /**
     * Starts without knowledge.
     *
     * @param relayed the methods of the server's requests that reach clients
     */
    public ServerKind(Set<String> relayed) {
      this(relayed, ServerSession.LONGEST_ANSWER);
    }

    /** Starts without knowledge of a server that has so long to say which revisions it has. */
    ServerKind(Set<String> relayed, Duration longestAnswer) {
      this.relayed = relayed;
      this.longestAnswer = longestAnswer;
    }

    private synchronized @Nullable Boolean known() {
      boolean isOld = !isSilent && System.nanoTime() - askedAt >= KNOWN_NANOS;
      return isOld ? null : isStateless;
    }

    private synchronized void note(boolean stateless) {
      isStateless = stateless;
      askedAt = System.nanoTime();
    }

    /**
     * Notes that the server does not say it, as those with sessions may. It is not asked again:
     * that would hold up its clients each time.
     */
    private synchronized void noteSilence() {
      isStateless = false;
      isSilent = true;
    }

    /** Notes that the server did not start a session, so that its silence had another reason. */
    private synchronized void noteFailure() {
      if (isSilent) {
        isSilent = false;
        isStateless = null;
      }
    }
  }

  /**
   * Opens a connection.
   *
   * @param memory for the messages of the server
   * @throws IOException if the server cannot be started
   */
  public BridgedUpstream(
      Connector connector, ServerKind kind, MessageMemory memory, ConnectionListener listener)
      throws IOException {
    this.memory = memory;
    this.waiting = memory.forWaiting();
    this.connector = connector;
    this.kind = kind;
    this.listener = listener;
    this.first = new Lost();
    this.server = connector.connect(memory, first);
    this.chosen = server;
  }

  @Override
  public void request(Message request, Forwarded headers, Outlet outlet) {
    if (Revision.of(request).isPresent()) {
      starting.put(Objects.requireNonNull(request.id()), request);
      if (isStateless()) {
        if (mayStart(request, outlet)) {
          server.request(request, headers, outlet);
        }
      } else {
        inSession(request, headers, outlet);
      }
    } else if (request.method().equals("initialize")) {
      initialize(request, headers, outlet);
    } else {
      chosen.request(request, headers, outlet);
    }
  }

  /** Whether the request was not cancelled; the server would not know it yet. */
  private boolean mayStart(Message request, Outlet outlet) {
    if (starting.remove(Objects.requireNonNull(request.id()), request)) {
      return true;
    }
    outlet.send(
        Message.error(
            request.id(), RpcError.of(RpcError.INTERNAL_ERROR, "The request was cancelled.")));
    return false;
  }

  /** Starts a session; a server that has none is asked for what it has. */
  private void initialize(Message request, Forwarded headers, Outlet outlet) {
    takeFirstConnection();
    server.request(
        request,
        headers,
        message -> {
          if (message.error() == null) {
            outlet.send(message);
            return;
          }
          // Over stdio, the thread that reads the answers must not wait for one.
          Thread.startVirtualThread(() -> {
            var bridge = new ToStateless(server, repeats);
            bridge.unsolicited(unsolicited);
            bridge.request(
                request,
                headers,
                answer -> {
                  boolean isBridged = answer.error() == null;
                  if (isBridged) {
                    chosen = bridge;
                  }
                  outlet.send(isBridged ? answer : message);
                });
          });
        });
  }

  /** Gives the first connection to the client's own session. */
  private void takeFirstConnection() {
    ServerSession held;
    synchronized (sessions) {
      held = first.session;
      first.session = null;
      sessions.values().remove(held);
      isFree = false;
      hasClientsSession = true;
      server.unsolicited(unsolicited);
    }
    if (held != null) {
      held.close();
    }
  }

  private boolean isStateless() {
    Boolean known = kind.known();
    if (known != null) {
      return known;
    }
    synchronized (kind) {
      known = kind.known();
      if (known == null) {
        // Nothing in it is a client's: the answer counts for all clients.
        Message probe =
            Message.request(
                "bridge-" + UUID.randomUUID(), "server/discover", Map.of("_meta", PROBE));
        Optional<Message> answer =
            OwnRequest.answer(server, probe, Forwarded.none(), kind.longestAnswer);
        known = answer.map(BridgedUpstream::isStateless).orElse(false);
        if (answer.isEmpty()) {
          kind.noteSilence();
        } else if (known || !isUnreachable(answer.get())) {
          kind.note(known);
        }
      }
      return known;
    }
  }

  private static boolean isStateless(Message answer) {
    Map<String, @Nullable Object> result = answer.result();
    if (result != null) {
      return result.get("supportedVersions") instanceof List<?> versions
          && versions.contains(Revision.STATELESS);
    }
    return code(answer) instanceof Integer code && STATELESS_ERRORS.contains(code);
  }

  private static @Nullable Object code(Message answer) {
    return Message.objectOrEmpty(answer.error()).get("code");
  }

  /** Tells whether the answer may be the gateway's own, about a server that it did not reach. */
  private static boolean isUnreachable(Message answer) {
    return Objects.equals(code(answer), RpcError.INTERNAL_ERROR);
  }

  private void inSession(Message request, Forwarded headers, Outlet outlet) {
    ServerSession session;
    try {
      session = session(Translation.capabilities(request.meta().get(Revision.CAPABILITIES)));
    } catch (IOException e) {
      starting.remove(Objects.requireNonNull(request.id()), request);
      outlet.send(
          Message.error(
              request.id(),
              RpcError.of(RpcError.INTERNAL_ERROR, "The MCP server does not start.")));
      return;
    }
    Message failure = session.start(request, headers);
    if (failure != null) {
      kind.noteFailure();
      drop(session);
    }
    if (!mayStart(request, outlet)) {
      return;
    }
    if (failure != null) {
      outlet.send(failure.with("id", request.id()));
    } else if (request.method().equals("server/discover")) {
      outlet.send(session.discovered(request));
    } else {
      session.request(request, headers, outlet);
    }
  }

  private ServerSession session(Map<String, @Nullable Object> capabilities) throws IOException {
    synchronized (sessions) {
      ServerSession known = sessions.get(capabilities);
      if (known != null) {
        return known;
      }
      // The first session uses the connection that the server was asked over.
      Lost lost = isFree ? first : new Lost();
      Upstream connection = isFree ? server : connector.connect(memory, lost);
      var opened =
          new ServerSession(
              connection, isFree, capabilities, waiting, kind.relayed, () -> onToolsChanged.run());
      isFree = false;
      lost.session = opened;
      sessions.put(capabilities, opened);
      if (sessions.size() > MAX_SESSIONS) {
        drop(sessions.values().iterator().next());
      }
      return opened;
    }
  }

  /**
   * Forgets a session that the server ended: the next request starts another. The client hears of
   * it only when nothing else is left that its requests may be under way in.
   */
  private final class Lost implements ConnectionListener {
    private volatile @Nullable ServerSession session;

    @Override
    public void streaming(Object id) {
      if (session == null) {
        listener.streaming(id);
      }
    }

    @Override
    public void interrupted(Object id, Duration retry) {
      if (session == null) {
        listener.interrupted(id, retry);
      }
    }

    @Override
    public void lost() {
      ServerSession ended = session;
      if (ended == null && this != first) {
        return; // Its session is not there yet, and does not start.
      }
      synchronized (sessions) {
        if (ended != null) {
          if (!sessions.values().remove(ended)) {
            return;
          }
          Thread.startVirtualThread(ended::lost);
        }
        boolean hasOthers = !sessions.isEmpty() && !Boolean.TRUE.equals(kind.known());
        if (ended == null
            ? hasOthers && !hasClientsSession
            : hasClientsSession || !sessions.isEmpty()) {
          return;
        }
      }
      listener.lost();
    }
  }

  private void drop(ServerSession session) {
    synchronized (sessions) {
      if (!sessions.values().remove(session)) {
        return;
      }
      if (first.session == session) {
        first.session = null; // A stateless server's requests may go over its connection.
      }
    }
    session.close();
  }

  @Override
  public void notify(Message notification, Forwarded headers) {
    List<ServerSession> held;
    synchronized (sessions) {
      held = List.copyOf(sessions.values());
    }
    Object id =
        notification.method().equals(Translation.CANCELLED)
            ? Message.idOf(notification.params().get("requestId"))
            : null;
    if (id != null && starting.remove(id) != null) {
      return; // The server never hears of the request.
    }
    if (id != null && !held.isEmpty()) {
      held.forEach(session -> session.cancel(id));
    } else {
      chosen.notify(notification, headers);
    }
  }

  @Override
  public void respond(Message response) {
    chosen.respond(response);
  }

  @Override
  public void unsolicited(Outlet outlet) {
    unsolicited = outlet;
    server.unsolicited(outlet);
  }

  @Override
  public void repeats(Repeats next) {
    repeats = next;
  }

  @Override
  public void onToolsChanged(Runnable action) {
    onToolsChanged = action;
  }

  @Override
  public void close() {
    List<ServerSession> held;
    synchronized (sessions) {
      held = List.copyOf(sessions.values());
      sessions.clear();
    }
    held.forEach(ServerSession::close);
    server.close();
  }
}
