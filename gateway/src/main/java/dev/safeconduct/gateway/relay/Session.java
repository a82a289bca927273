package dev.safeconduct.gateway.relay;

import dev.safeconduct.gateway.policy.CallDecision;
import dev.safeconduct.gateway.policy.Denials;
import dev.safeconduct.gateway.policy.Handling;
import dev.safeconduct.gateway.policy.MethodTable;
import dev.safeconduct.gateway.policy.Pins;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.Upstream;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One client's conversation with one server: checks what the client sends, forwards what is
 * allowed, filters what the server answers. Threads can share it. For clients without sessions the
 * front keeps one for each principal and server.
 */
public final class Session implements AutoCloseable {
  private static final MethodTable METHODS = MethodTable.standard();
  private static final int MAX_SUBSCRIPTIONS = 50;
  private static final String SET_LEVEL = "logging/setLevel";

  /** How long requests wait for the level that was set before; a server may not answer. */
  private static final long LONGEST_LEVEL_SECONDS = 5;

  private final Principal principal;
  private final PolicyClient policy;
  private final Upstream upstream;
  private final Executor waiting;
  private final String id = UUID.randomUUID().toString();
  private final Exchanges exchanges;
  private final @Nullable ToolCatalog tools;
  private final ServerMessages fromServer;

  /** Done when the server has the last {@code logging/setLevel}, which later requests rely on. */
  private volatile CompletableFuture<Void> levelSet = CompletableFuture.completedFuture(null);

  /**
   * Starts the conversation.
   *
   * @param policy decides for this server
   * @param waiting runs what waits for decisions: the thread that brings a request, if it waits for
   *     the response anyway, or else another
   * @param toClient receives what belongs to no request of the client
   */
  public Session(
      Principal principal,
      PolicyClient policy,
      Upstream upstream,
      Executor waiting,
      Outlet toClient) {
    this(principal, policy, upstream, waiting, toClient, Long.MAX_VALUE);
  }

  /**
   * Starts the conversation of a client whose front does not limit the memory of its requests.
   *
   * @param mostBytes above which size of all requests together further ones are refused
   */
  public Session(
      Principal principal,
      PolicyClient policy,
      Upstream upstream,
      Executor waiting,
      Outlet toClient,
      long mostBytes) {
    this.exchanges = new Exchanges(mostBytes);
    this.principal = principal;
    this.policy = policy;
    this.upstream = upstream;
    this.waiting = waiting;
    Pins pins = policy.pins();
    this.tools =
        pins == null ? null : new ToolCatalog(upstream, policy.server().inQuestions(), pins);
    this.fromServer = new ServerMessages(policy, upstream, exchanges, tools);
    upstream.unsolicited(message -> fromServer.relay(message, toClient, null));
    upstream.repeats(this::repeat);
  }

  /**
   * Takes a message of the client. Does not throw.
   *
   * @param headers what goes with the message to a server over HTTP
   * @param outlet receives the response of a request, and what belongs to it before; not used for
   *     notifications and responses
   */
  public void receive(Message message, Forwarded headers, Outlet outlet) {
    switch (message.kind()) {
      case REQUEST -> request(message, headers, outlet);
      case NOTIFICATION -> notification(message, headers);
      case RESPONSE -> {
        Exchanges.Asked asked = exchanges.endByServer(message.id());
        if (asked != null) {
          waiting.execute(() -> respond(message, asked));
        } else {
          policy.log("dropped a response to no request of the server");
        }
      }
    }
  }

  /** A call goes on with input only while its tool may still be called. */
  private void respond(Message response, Exchanges.Asked asked) {
    boolean mayGoOn = false;
    try {
      mayGoOn = response.result() == null || !asked.isInput() || mayCall(asked.tools());
    } catch (RuntimeException e) {
      policy.log("fault: " + e.getClass().getName());
    }
    if (!mayGoOn) {
      policy.log("refused an answer to the server: its call is no longer allowed");
    }
    upstream.respond(
        mayGoOn
            ? response
            : Message.error(
                response.id(), RpcError.of(RpcError.DENIED, "The call is no longer allowed.")));
  }

  private boolean mayCall(Set<String> called) {
    return !called.isEmpty()
        && policy
            .names()
            .admitted(principal.agentId(), id, called)
            .orElse(Set.of())
            .containsAll(called);
  }

  private void request(Message request, Forwarded headers, Outlet outlet) {
    Object requestId = request.id();
    Optional<Handling> handling = METHODS.request(request.method());
    String fault = requestId == null ? "The request has no id." : RequestFaults.of(request);
    if (fault != null || requestId == null) {
      outlet.send(error(request, RpcError.INVALID_PARAMS, String.valueOf(fault)));
      return;
    }
    if (handling.isEmpty()) {
      outlet.send(error(request, RpcError.METHOD_NOT_FOUND, "Method not found"));
      return;
    }
    var pending = new Pending(requestId, request, outlet, exchanges);
    String inUse = exchanges.start(requestId, pending);
    if (inUse != null) {
      outlet.send(error(request, RpcError.INVALID_REQUEST, inUse));
      return;
    }
    // At once: what the client sends next may need the session.
    Executor thread = request.method().equals("initialize") ? Runnable::run : waiting;
    CompletableFuture<Void> before = levelSet;
    @Nullable CompletableFuture<Void> done =
        request.method().equals(SET_LEVEL) ? new CompletableFuture<>() : null;
    if (done != null) {
      levelSet = done.completeOnTimeout(null, LONGEST_LEVEL_SECONDS, TimeUnit.SECONDS);
    }
    thread.execute(() -> {
      try {
        var _ = before.join();
        handleOrRefuse(handling.get(), pending, headers);
      } finally {
        exchanges.checked(pending);
        if (done != null) {
          done.complete(null);
        }
      }
    });
  }

  /** Decides anew on a request that goes on with the client's answers, as if it was repeated. */
  private void repeat(
      Message before, Message next, Forwarded headers, BiConsumer<Forwarded, Outlet> send) {
    Pending pending = exchanges.repeat(before, next, send);
    if (pending != null) {
      METHODS
          .request(next.method())
          .ifPresent(handling -> handleOrRefuse(handling, pending, headers));
    }
  }

  private void handleOrRefuse(Handling handling, Pending pending, Forwarded headers) {
    try {
      handle(handling, pending, headers);
    } catch (RuntimeException | Error e) {
      policy.log("fault: " + e.getClass().getName());
      pending.outlet.send(Denials.unavailable(pending.request));
    }
  }

  private void handle(Handling handling, Pending pending, Forwarded headers) {
    Message request = pending.request;
    switch (handling) {
      case Handling.Pass _ -> forward(pending, headers, UnaryOperator.identity());
      case Handling.CallTool _ -> callTool(pending, headers);
      case Handling.ListTools _ -> forward(pending, headers, answer -> listTools(request, answer));
      case Handling.Ask(String tool) -> ask(tool, pending, headers);
      case Handling.ListAll(String tool, String member) -> listAll(tool, member, pending, headers);
      case Handling.Listen(String tool) -> listen(tool, pending, headers);
      case Handling.OwnTask _ -> {
        Object task = request.params().get("taskId");
        if (exchanges.hasTask(task)) {
          forward(pending, headers, answer -> noted(request, task, answer));
        } else {
          pending.outlet.send(error(request, RpcError.INVALID_PARAMS, "Unknown task"));
        }
      }
      case Handling.UpdateTask _ -> updateTask(pending, headers);
      case Handling.ListTasks _ ->
          forward(
              pending,
              headers,
              answer ->
                  Answers.keep(answer, "tasks", task -> exchanges.hasTask(task.get("taskId"))));
    }
  }

  /** Notes whether the task goes on: only ended ones have a result. */
  private Message noted(Message request, @Nullable Object task, Message answer) {
    Map<String, @Nullable Object> result = answer.result();
    if (result != null) {
      boolean isResult = request.method().equals("tasks/result");
      exchanges.noteTask(task, isResult ? "completed" : result.get("status"));
    }
    return answer;
  }

  private void callTool(Pending pending, Forwarded headers) {
    Message request = pending.request;
    if (!(request.params().get("name") instanceof String tool)) {
      pending.outlet.send(error(request, RpcError.INVALID_PARAMS, "name is not a string."));
      return;
    }
    Object sent = request.params().get("arguments");
    if (!(sent instanceof Map) && request.params().containsKey("arguments")) {
      pending.outlet.send(error(request, RpcError.INVALID_PARAMS, "arguments is not an object."));
      return;
    }
    ToolCatalog.ToolState state;
    try {
      state = tools == null ? ToolCatalog.ToolState.SAME : tools.state(tool, request);
    } catch (IOException e) {
      policy.log("the tools of the server cannot be compared with the pins: " + e.getMessage());
      pending.outlet.send(Denials.unavailable(request));
      return;
    }
    switch (policy.call(principal.agentId(), id, tool, Message.objectOrEmpty(sent))) {
      case CallDecision.Allowed allowed -> {
        switch (state) {
          case SAME ->
              forward(pending, decided(headers, allowed), answer -> done(answer, allowed, tool));
          case CHANGED ->
              deny(
                  pending,
                  policy.refuse(
                      tool,
                      "gateway.tool_changed",
                      "The server changed this tool since it was pinned, or it cannot be pinned. Its owner"
                          + " can accept a change:"
                          + " safeconduct mcp-gateway pins accept "
                          + policy.server().inQuestions()));
          case NOT_LISTED -> deny(pending, policy.refuseUnknown(tool));
        }
      }
      case CallDecision.Denied denied -> deny(pending, denied);
      case CallDecision.Unavailable _ -> pending.outlet.send(Denials.unavailable(request));
    }
  }

  private Forwarded decided(Forwarded headers, CallDecision.Allowed allowed) {
    return policy.server().sendDecisionId()
        ? headers.with("Safeconduct-Decision-Id", allowed.decisionId())
        : headers;
  }

  private Message done(Message answer, CallDecision.Allowed allowed, String tool) {
    Answers.taskId(answer).ifPresent(task -> exchanges.addTask(task, tool));
    return Answers.withDecision(answer, allowed);
  }

  private void deny(Pending pending, CallDecision.Denied denied) {
    Message request = pending.request;
    boolean isCall = request.method().equals("tools/call");
    pending.outlet.send(
        isCall && !policy.deniesAsError()
            ? Denials.ofTool(request, String.valueOf(request.params().get("name")), denied)
            : Denials.error(request, denied));
  }

  private void ask(String tool, Pending pending, Forwarded headers) {
    forwardIf(
        policy.call(principal.agentId(), id, tool, parameters(pending.request)),
        tool,
        pending,
        headers);
  }

  /** A task goes on with the input only while its tool may still be called. */
  private void updateTask(Pending pending, Forwarded headers) {
    Message request = pending.request;
    String tool = exchanges.toolOf(request.params().get("taskId"));
    if (tool == null) {
      pending.outlet.send(error(request, RpcError.INVALID_PARAMS, "Unknown task"));
      return;
    }
    forwardIf(
        policy.input(principal.agentId(), id, tool, parameters(request)), tool, pending, headers);
  }

  private static Map<String, @Nullable Object> parameters(Message request) {
    var parameters = new LinkedHashMap<String, @Nullable Object>(request.params());
    parameters.remove("_meta");
    return parameters;
  }

  private void forwardIf(CallDecision decision, String tool, Pending pending, Forwarded headers) {
    Message request = pending.request;
    switch (decision) {
      case CallDecision.Allowed allowed ->
          forward(
              pending,
              decided(headers, allowed),
              answer -> Answers.notCached(done(answer, allowed, tool)));
      case CallDecision.Denied denied -> deny(pending, denied);
      case CallDecision.Unavailable _ -> pending.outlet.send(Denials.unavailable(request));
    }
  }

  private Message listTools(Message request, Message answer) {
    Map<String, @Nullable Object> result = answer.result();
    if (result == null) {
      return answer;
    }
    List<Map<String, @Nullable Object>> page = ToolCatalog.tools(result);
    Set<String> changed;
    try {
      changed = tools == null ? Set.of() : tools.hidden(page);
    } catch (IOException e) {
      policy.log("the tools of the server cannot be compared with the pins: " + e.getMessage());
      return Denials.unavailable(request);
    }
    changed.forEach(tool ->
        policy.log(
            "hidden, because it changed or cannot be pinned: " + PolicyClient.printable(tool)));
    List<String> names =
        page.stream()
            .map(tool -> String.valueOf(tool.get("name")))
            .filter(tool -> !changed.contains(tool))
            .toList();
    Optional<Set<String>> admitted = policy.names().admitted(principal.agentId(), id, names);
    if (admitted.isEmpty()) {
      return Denials.unavailable(request);
    }
    Set<String> shown = admitted.get();
    // Once each: of two tools with one name, nobody can tell which one a call gets.
    Message kept = Answers.keep(answer, "tools", tool -> shown.remove(tool.get("name")));
    return Answers.notCached(kept);
  }

  private void listAll(String tool, String member, Pending pending, Forwarded headers) {
    Message request = pending.request;
    Optional<Set<String>> admitted =
        policy.names().admitted(principal.agentId(), id, List.of(tool));
    if (admitted.isEmpty()) {
      pending.outlet.send(Denials.unavailable(request));
    } else if (admitted.get().isEmpty()) {
      pending.outlet.send(Answers.empty(request, member));
    } else {
      forward(pending, headers, answer -> Answers.notCached(answer));
    }
  }

  private void listen(String tool, Pending pending, Forwarded headers) {
    Message request = pending.request;
    Object uris =
        Message.objectOrEmpty(request.params().get("notifications")).get("resourceSubscriptions");
    List<?> resources = uris instanceof List<?> list ? list : List.of();
    if ((uris != null && !(uris instanceof List)) || resources.size() > MAX_SUBSCRIPTIONS) {
      pending.outlet.send(
          error(
              request,
              RpcError.INVALID_PARAMS,
              "resourceSubscriptions is not a list of at most " + MAX_SUBSCRIPTIONS + "."));
      return;
    }
    for (Object uri : resources) {
      Map<String, @Nullable Object> parameters = new LinkedHashMap<>();
      parameters.put("uri", uri);
      switch (policy.call(principal.agentId(), id, tool, parameters)) {
        case CallDecision.Allowed _ -> {}
        case CallDecision.Denied denied -> {
          deny(pending, denied);
          return;
        }
        case CallDecision.Unavailable _ -> {
          pending.outlet.send(Denials.unavailable(request));
          return;
        }
      }
    }
    forward(pending, headers, UnaryOperator.identity());
  }

  private void forward(Pending pending, Forwarded headers, UnaryOperator<Message> onAnswer) {
    if (!pending.send()) {
      return; // the client cancelled it, and gets no response
    }
    exchanges.sent(pending.request);
    Outlet answers =
        message -> {
          if (message.kind() == Message.Kind.RESPONSE) {
            fromServer.respond(
                message, pending, answer -> onAnswer.apply(Answers.withoutDecisions(answer)));
          } else {
            fromServer.relay(message, pending.outlet, pending.request);
          }
        };
    BiConsumer<Forwarded, Outlet> resend = pending.resend;
    if (resend == null) {
      upstream.request(pending.request, headers, answers);
    } else {
      resend.accept(headers, answers);
    }
  }

  private void notification(Message message, Forwarded headers) {
    boolean mayPass =
        METHODS.mayClientNotify(message.method())
            && RequestFaults.of(message) == null
            && switch (message.method()) {
              case "notifications/cancelled" -> {
                Object cancelled = Message.idOf(message.params().get("requestId"));
                yield cancelled != null && exchanges.cancel(cancelled);
              }
              case "notifications/progress" ->
                  exchanges.isServersToken(message.params().get("progressToken"));
              default -> true;
            };
    if (mayPass) {
      upstream.notify(message, headers);
    } else {
      policy.log("dropped the client's " + PolicyClient.printable(message.method()));
    }
  }

  private static Message error(Message request, int code, String text) {
    return Message.error(request.id(), RpcError.of(code, text));
  }

  /** Waits until every request has its response; returns whether that is so. */
  public boolean awaitIdle(Duration longest) throws InterruptedException {
    return exchanges.awaitIdle(longest);
  }

  /** Ends the conversation and the connection to the server. */
  @Override
  public void close() {
    upstream.close();
  }
}
