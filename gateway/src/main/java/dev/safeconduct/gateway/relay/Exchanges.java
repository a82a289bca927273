package dev.safeconduct.gateway.relay;

import dev.safeconduct.gateway.policy.Handling;
import dev.safeconduct.gateway.policy.MethodTable;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What one client and the server have started: only that can be continued or cancelled. */
final class Exchanges {
  private static final int MAX_REQUESTS = 1000;
  private static final int MAX_TASKS = 10_000;
  private static final int MAX_CANCELLED = 100;

  /** Requests of a server whose answers a call goes on with. */
  private static final Set<String> INPUTS = Set.of("elicitation/create", "sampling/createMessage");

  /** What servers say of tasks that do not go on. */
  private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled");

  /** Above which sum of their sizes no further request is taken; the last one can have any. */
  private final long mostBytes;

  /** What the requests take that are being checked or wait for a response. */
  private long bytes;

  private final Map<Object, Pending> requests = new HashMap<>();
  private final Set<Object> progressTokens = new HashSet<>();
  private final Map<Object, Asked> serverRequests = new HashMap<>();

  /**
   * By their ids, the last requests that were cancelled: the server may answer them nevertheless.
   */
  private final Map<Object, Object> cancelled = newest(MAX_CANCELLED);

  /** The tools of the last calls that were cancelled, which their servers may go on with. */
  private final LinkedHashSet<String> cancelledTools = new LinkedHashSet<>();

  /** The tools of the last request that reached the server and has any. */
  private Set<String> last = Set.of();

  /** The tool whose call started a task, by the task's id. */
  private final Map<String, String> tasks = newest(MAX_TASKS);

  /** Those of the tasks that are not known to have ended. */
  private final Map<String, String> running = newest(MAX_TASKS);

  /** Takes requests of any size. */
  Exchanges() {
    this(Long.MAX_VALUE);
  }

  Exchanges(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  private static <K, V> Map<K, V> newest(int most) {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
      }
    };
  }

  /** Notes a request; returns why it cannot be, or null. */
  synchronized @Nullable String start(Object id, Pending pending) {
    Object token = token(pending.request);
    if (requests.size() >= MAX_REQUESTS || bytes > mostBytes) {
      return "Too many requests wait for a response.";
    }
    if (requests.containsKey(id)) {
      return "A request with this id waits for its response.";
    }
    if (token != null && !progressTokens.add(token)) {
      return "A request with this progressToken waits for its response.";
    }
    requests.put(id, pending);
    bytes += pending.size;
    cancelled.remove(id);
    return null;
  }

  /**
   * Notes that nothing checks the request any more. One that is cancelled takes memory until then.
   */
  synchronized void checked(Pending pending) {
    release(pending);
  }

  private void release(Pending pending) {
    pending.uses--;
    if (pending.uses == 0) {
      bytes -= pending.size;
    }
  }

  /**
   * Notes that a request will go to the server again; null if it no longer waits for a response.
   *
   * @param before how the server got it: the client may have used its id again since
   */
  synchronized @Nullable Pending repeat(
      Message before, Message next, BiConsumer<Forwarded, Outlet> send) {
    Object id = Objects.requireNonNull(next.id());
    Pending waiting = requests.get(id);
    if (waiting == null || waiting.request != before) {
      return null;
    }
    Pending again = waiting.again(id, next, this, send);
    release(waiting);
    requests.put(id, again);
    return again;
  }

  /** Notes that a request is cancelled; returns whether the server has it. */
  synchronized boolean cancel(Object id) {
    Pending waiting = requests.get(id);
    if (waiting == null) {
      return false;
    }
    remove(id, waiting);
    boolean isSent = waiting.cancel();
    if (isSent) {
      // At once: what the server asks now may be for this call.
      cancelled.put(id, waiting.mark);
      cancelledTools.addAll(toolsOf(waiting.request));
      while (cancelledTools.size() > MAX_CANCELLED) {
        cancelledTools.removeFirst();
      }
    }
    return isSent;
  }

  /**
   * Notes that a request has its response; returns whether the client may get it: not if it has
   * used the id again since it cancelled the request.
   */
  synchronized boolean end(Object id, Pending ended) {
    return remove(id, ended) || cancelled.remove(id, ended.mark);
  }

  private boolean remove(Object id, Pending ended) {
    if (!requests.remove(id, ended)) {
      return false;
    }
    release(ended);
    Object token = token(ended.request);
    if (token != null) {
      progressTokens.remove(token);
    }
    notifyAll();
    return true;
  }

  /** Waits until no request is without a response; returns whether that is so. */
  synchronized boolean awaitIdle(Duration longest) throws InterruptedException {
    long deadline = System.nanoTime() + longest.toNanos();
    while (!requests.isEmpty()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(Math.max(1, left / 1_000_000));
    }
    return true;
  }

  private static @Nullable Object token(Message request) {
    return request.meta().get("progressToken");
  }

  /** Whether a progress notification of the server is for a request that waits. */
  synchronized boolean hasProgressToken(@Nullable Object token) {
    return progressTokens.contains(token);
  }

  /**
   * A request of the server: its progress token, and, for input, the tools whose calls it
   * continues.
   */
  record Asked(@Nullable Object token, boolean isInput, Set<String> tools) {}

  /** Notes that a request goes to the server. */
  synchronized void sent(Message request) {
    Set<String> tools = toolsOf(request);
    last = tools.isEmpty() ? last : tools;
  }

  /**
   * Notes a request of the server; false if its id is in use.
   *
   * @param cause the request of the client that it is for; null if the server does not say it, so
   *     that it may be for any that waits
   */
  synchronized boolean startByServer(Message request, @Nullable Message cause) {
    Object id = request.id();
    if (id == null || serverRequests.size() >= MAX_REQUESTS || serverRequests.containsKey(id)) {
      return false;
    }
    boolean isInput = INPUTS.contains(request.method());
    Set<String> tools = isInput ? toolsContinuedBy(cause) : Set.of();
    serverRequests.put(id, new Asked(token(request), isInput, tools));
    return true;
  }

  /**
   * Returns the tools of all calls that the server may be working on, as input may be for any: else
   * an agent could give input to a call that is no longer allowed by having another one open.
   */
  private Set<String> toolsContinuedBy(@Nullable Message cause) {
    Set<String> tools = new HashSet<>(cause == null ? Set.of() : toolsOf(cause));
    if (tools.isEmpty()) {
      requests.values().stream()
          .filter(Pending::isSent) // the server knows no others
          .forEach(pending -> tools.addAll(toolsOf(pending.request)));
      tools.addAll(running.values());
      tools.addAll(cancelledTools);
    }
    return tools.isEmpty() ? last : tools;
  }

  private Set<String> toolsOf(Message request) {
    Object tool =
        switch (MethodTable.standard().request(request.method()).orElse(null)) {
          case Handling.CallTool _ -> request.params().get("name");
          case Handling.Ask(String asked) -> asked;
          case Handling.ListAll(String asked, String _) -> asked;
          case Handling.Listen(String asked) -> asked;
          case null, default -> toolOf(request.params().get("taskId"));
        };
    return tool instanceof String name ? Set.of(name) : Set.of();
  }

  /** Ends a request of the server, and returns it; null if there is none. */
  synchronized @Nullable Asked endByServer(@Nullable Object id) {
    return serverRequests.remove(id);
  }

  /** Whether a progress notification of the client is for a request of the server. */
  synchronized boolean isServersToken(@Nullable Object token) {
    return token != null
        && serverRequests.values().stream().anyMatch(asked -> token.equals(asked.token()));
  }

  /** Notes a task; the first call that names it started it. */
  synchronized void addTask(String id, String tool) {
    if (tasks.putIfAbsent(id, tool) == null) {
      running.put(id, tool);
    }
  }

  /** Notes what the server says of a task. */
  synchronized void noteTask(@Nullable Object id, @Nullable Object status) {
    if (id instanceof String text && status instanceof String said && ENDED.contains(said)) {
      running.remove(text);
    }
  }

  synchronized boolean hasTask(@Nullable Object id) {
    return toolOf(id) != null;
  }

  /** Returns the tool whose call started a task of this client; null for any other task. */
  synchronized @Nullable String toolOf(@Nullable Object id) {
    return id instanceof String text ? tasks.get(text) : null;
  }
}
