package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.config.HttpConfig;
import dev.safeconduct.gateway.relay.Principal;
import dev.safeconduct.gateway.rpc.MessageMemory;
import java.lang.ref.WeakReference;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The sessions of all clients: found by their principal only, limited, and closed when idle. */
final class ClientSessions implements AutoCloseable {
  private static final Duration SWEEP_EVERY = Duration.ofSeconds(5);
  private static final Duration SILENCE = Duration.ofSeconds(10);
  private static final Duration LONGEST_START = Duration.ofMinutes(2);
  private static final int ID_BYTES = 24;

  private final HttpConfig.Limits limits;
  private final MessageMemory memory;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, ClientSession> byId = new ConcurrentHashMap<>();

  /** What the messages of each client take; who works with one of them holds it. */
  private final Map<Principal, WeakReference<MessageMemory>> clients = new HashMap<>();

  private final Set<Opening> openings = ConcurrentHashMap.newKeySet();
  private final Map<Stateless, ClientSession> stateless = new ConcurrentHashMap<>();
  private final Thread sweeper;

  private record Stateless(Principal principal, String endpoint) {}

  ClientSessions(HttpConfig.Limits limits, MessageMemory memory) {
    this.limits = limits;
    this.memory = memory;
    sweeper = Thread.ofVirtual().name("sessions").start(this::sweep);
  }

  /** Returns what the messages of a client take their part of. */
  MessageMemory memory(Principal principal) {
    synchronized (clients) {
      WeakReference<MessageMemory> reference = clients.get(principal);
      MessageMemory known = reference == null ? null : reference.get();
      if (known == null) {
        known = memory.forClient();
        clients.put(principal, new WeakReference<>(known));
      }
      return known;
    }
  }

  private void forgetClients() {
    synchronized (clients) {
      clients.values().removeIf(each -> each.refersTo(null));
    }
  }

  /** A session that no client knows yet. */
  final class Opening {
    private final String id;
    private final Principal principal;
    private final ClientSession session;
    private final long startedAt = System.nanoTime();

    private Opening(Principal principal, McpEndpoint endpoint) throws Refusal {
      this.principal = principal;
      byte[] bytes = new byte[ID_BYTES];
      random.nextBytes(bytes);
      id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      session =
          new ClientSession(
              principal,
              endpoint,
              false,
              limits.openRequests(),
              memory(principal),
              lost -> remove(id));
    }

    ClientSession session() {
      return session;
    }

    /** Makes it known, and returns its id. */
    synchronized String publish() {
      if (openings.contains(this)) {
        byId.put(id, session);
        openings.remove(this);
      }
      return id;
    }

    /** Ends it unless a client knows it. */
    synchronized void closeUnlessPublished() {
      if (openings.remove(this)) {
        session.close();
      }
    }
  }

  synchronized Opening open(Principal principal, McpEndpoint endpoint) throws Refusal {
    checkLimits(principal);
    var opening = new Opening(principal, endpoint);
    openings.add(opening);
    return opening;
  }

  private void checkLimits(Principal principal) throws Refusal {
    long own =
        byId.values().stream().filter(each -> each.principal().equals(principal)).count()
            + openings.stream().filter(each -> each.principal.equals(principal)).count();
    int all = byId.size() + openings.size() + stateless.size();
    if (own >= limits.sessionsPerClient() || all >= limits.sessions()) {
      throw Refusal.of(429, "There are too many sessions.", Map.of("Retry-After", "30"));
    }
  }

  /** Returns the session; none if it is another principal's or at another endpoint. */
  Optional<ClientSession> find(String id, Principal principal, McpEndpoint endpoint) {
    return Optional.ofNullable(byId.get(id)).filter(each -> each.isOf(principal, endpoint));
  }

  /** Returns what holds a principal's requests of the revisions without sessions. */
  ClientSession stateless(Principal principal, McpEndpoint endpoint) throws Refusal {
    var key = new Stateless(principal, endpoint.name());
    ClientSession known = stateless.get(key);
    return known == null || known.isLost() ? openStateless(key, endpoint) : known;
  }

  private synchronized ClientSession openStateless(Stateless key, McpEndpoint endpoint)
      throws Refusal {
    ClientSession known = stateless.get(key);
    if (known != null && !known.isLost()) {
      return known;
    }
    checkLimits(key.principal());
    var opened =
        new ClientSession(
            key.principal(),
            endpoint,
            true,
            limits.openRequests(),
            memory(key.principal()),
            lost -> {
              if (stateless.remove(key, lost)) {
                lost.close();
              }
            });
    stateless.put(key, opened);
    return opened;
  }

  /** Ends a session. */
  void remove(String id) {
    close(byId.remove(id));
  }

  private static void close(@Nullable ClientSession session) {
    if (session != null) {
      session.close();
    }
  }

  private void sweep() {
    try {
      while (true) {
        Thread.sleep(SWEEP_EVERY);
        for (Map<?, ClientSession> sessions : List.of(byId, stateless)) {
          for (ClientSession session : List.copyOf(sessions.values())) {
            // A client that does not read must not hold up the others.
            Thread.startVirtualThread(() -> session.sweep(SILENCE));
            if (session.isIdle(limits.idle()) && sessions.values().remove(session)) {
              Thread.startVirtualThread(session::close);
            }
          }
        }
        forgetClients();
        openings.stream()
            .filter(each -> System.nanoTime() - each.startedAt > LONGEST_START.toNanos())
            .forEach(each -> Thread.startVirtualThread(each::closeUnlessPublished));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    sweeper.interrupt();
    var all = new ArrayList<>(byId.values());
    all.addAll(stateless.values());
    openings.forEach(Opening::closeUnlessPublished);
    byId.clear();
    stateless.clear();
    all.forEach(ClientSession::close);
  }
}
