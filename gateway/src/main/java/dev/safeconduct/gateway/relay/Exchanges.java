package dev.safeconduct.gateway.relay;

import dev.safeconduct.gateway.policy.Handling;
import dev.safeconduct.gateway.policy.MethodTable;
import dev.safeconduct.gateway.rpc.Message;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one client and the server have started: only that can be continued or cancelled. */
final class Exchanges {
  private static final int MAX_REQUESTS = 1000;
  private static final int MAX_TASKS = 10_000;
  private static final int MAX_CANCELLED = 100;

  /** Requests of a server whose answers a call goes on with. */
  private static final Set<String> INPUTS = Set.of("elicitation/create", "sampling/createMessage");

  private final Map<Object, Pending> requests = new HashMap<>();
  private final Set<Object> progressTokens = new HashSet<>();
  private final Map<Object, Asked> serverRequests = new HashMap<>();

  /** The tools of the last calls that were cancelled, which their servers may go on with. */
  private final LinkedHashSet<String> cancelledTools = new LinkedHashSet<>();

  /** The tools of the last request that reached the server and has any. */
  private Set<String> last = Set.of();

  /** The tool whose call started a task, by the task's id. */
  private final Map<String, String> tasks =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MAX_TASKS;
        }
      };

  /** Notes a request; returns why it cannot be, or null. */
  synchronized @Nullable String start(Object id, Pending pending) {
    Object token = token(pending.request);
    if (requests.size() >= MAX_REQUESTS) {
      return "Too many requests wait for a response.";
    }
    if (requests.containsKey(id)) {
      return "A request with this id waits for its response.";
    }
    if (token != null && !progressTokens.add(token)) {
      return "A request with this progressToken waits for its response.";
    }
    requests.put(id, pending);
    return null;
  }

  /** Notes that a request is cancelled, and returns it; null if it does not wait. */
  synchronized @Nullable Pending cancel(Object id) {
    Pending cancelled = requests.get(id);
    if (cancelled != null) {
      boolean _ = end(id, cancelled);
    }
    return cancelled;
  }

  /** Notes that a request has its response; false if a later request has the id now. */
  synchronized boolean end(Object id, Pending ended) {
    if (!requests.remove(id, ended)) {
      return !requests.containsKey(id);
    }
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

  /** Notes that the client cancels a request that the server has. */
  synchronized void cancelled(Message request) {
    cancelledTools.addAll(toolsOf(request));
    while (cancelledTools.size() > MAX_CANCELLED) {
      cancelledTools.removeFirst();
    }
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

  /** Returns the tools of the calls that input may be for. */
  private Set<String> toolsContinuedBy(@Nullable Message cause) {
    Set<String> tools = new HashSet<>();
    if (cause != null) {
      tools.addAll(toolsOf(cause));
    } else {
      requests.values().stream()
          .filter(Pending::isSent) // the server knows no others
          .forEach(pending -> tools.addAll(toolsOf(pending.request)));
    }
    for (Collection<String> others : List.of(tasks.values(), cancelledTools, last)) {
      if (tools.isEmpty()) {
        tools.addAll(others);
      }
    }
    return tools;
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
    tasks.putIfAbsent(id, tool);
  }

  synchronized boolean hasTask(@Nullable Object id) {
    return toolOf(id) != null;
  }

  /** Returns the tool whose call started a task of this client; null for any other task. */
  synchronized @Nullable String toolOf(@Nullable Object id) {
    return id instanceof String text ? tasks.get(text) : null;
  }
}
