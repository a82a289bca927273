package dev.safeconduct.gateway.upstream;

import dev.safeconduct.gateway.http.EventReader;
import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.http.ServerSentEvent;
import dev.safeconduct.gateway.http.ToolHeaders;
import dev.safeconduct.gateway.rpc.InvalidMessage;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server that is reached over Streamable HTTP. Each message says itself which revision it is of,
 * so that one connection can carry all. Redirects are not followed: they would take the credential
 * elsewhere.
 */
public final class HttpUpstream implements Upstream {
  private static final Duration DEFAULT_RETRY = Duration.ofSeconds(1);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);
  private static final int MAX_RECONNECTIONS = 5;
  private static final int MAX_PAGES = 50;

  /** What a server may send after the response, in bytes, and how long it may take to end. */
  private static final int LONGEST_REST = 64 << 10;

  private static final Duration LONGEST_END = Duration.ofSeconds(1);

  /** How many cancels may be on their way; their requests count for no other limit any more. */
  private static final int MOST_CANCELS = 16;

  /** For each step of a cancel: the server gets the whole request, and answers the cancel. */
  private static final Duration LONGEST_CANCEL = Duration.ofSeconds(5);

  private final HttpClient client;
  private final HttpTarget target;
  private final MessageMemory memory;
  private final ToolHeaders tools;
  private final ConnectionListener listener;
  private final Consumer<String> log;
  private final HttpRequests requests;
  private final Map<Object, HttpExchange> open = new ConcurrentHashMap<>();

  /** The requests that the server is being told to cancel, until it has heard it. */
  private final Map<Object, CompletableFuture<Void>> cancels = new ConcurrentHashMap<>();

  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile Outlet unsolicited = message -> {};
  private volatile @Nullable HttpExchange stream;

  /**
   * Connects to a server; sends nothing yet.
   *
   * @param client follows no redirects
   * @param memory for the messages of the server
   * @param tools learned from this server by all its connections
   * @param log takes what goes wrong
   */
  public HttpUpstream(
      HttpClient client,
      HttpTarget target,
      MessageMemory memory,
      ToolHeaders tools,
      ConnectionListener listener,
      Consumer<String> log) {
    this.log = log;
    this.client = client;
    this.target = target;
    this.memory = memory;
    this.tools = tools;
    this.listener = listener;
    this.requests = new HttpRequests(target, tools);
  }

  /**
   * Returns a client for connections to servers.
   *
   * @param isDirect whether they are without TLS and without the look-up of a name; then what is
   *     done with an answer is too little to hand it over to another thread
   */
  public static HttpClient newClient(boolean isDirect) {
    HttpClient.Builder client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(Duration.ofSeconds(5));
    return (isDirect ? client.executor(Runnable::run) : client).build();
  }

  @Override
  public void request(Message request, Forwarded headers, Outlet outlet) {
    Object id = Objects.requireNonNull(request.id());
    var own = new AtomicReference<HttpExchange>();
    var exchange =
        newExchange(
            request,
            answer -> {
              if (answer.kind() == Message.Kind.RESPONSE) {
                // The client may use the id again as soon as it has the answer.
                open.remove(id, Objects.requireNonNull(own.get()));
              }
              pass(request, answer, outlet);
            });
    own.set(exchange);
    if (open.putIfAbsent(id, exchange) != null) {
      exchange.fail(RpcError.INVALID_REQUEST, "Another request with this id is not answered yet.");
      return;
    }
    awaitCancel(id);
    try {
      if (request.method().equals("tools/call")
          && Revision.of(request).isPresent()
          && tools.needsList(Revision.name(request).orElse(""))) {
        learnTools(request);
      }
      exchange(exchange, requests.post(request, headers, exchange::noteHandedOver));
    } catch (MessageMemory.Exhausted e) {
      logUnlessClosed(e.getMessage() + " of " + target.uri());
      exchange.fail(RpcError.INTERNAL_ERROR, e.getMessage() + " of the MCP server.");
    } catch (IOException e) {
      logUnlessClosed(target.uri() + " fails: " + e.getMessage());
      exchange.fail(RpcError.INTERNAL_ERROR, "The MCP server cannot be reached.");
    } finally {
      exchange.held().close();
      open.remove(id, exchange);
      if (closed.getCount() == 0) {
        exchange.fail(RpcError.INTERNAL_ERROR, "The connection to the MCP server is closed.");
      }
    }
  }

  private HttpExchange newExchange(Message request, Outlet outlet) {
    return new HttpExchange(request, outlet, memory.forAnswer());
  }

  private void exchange(HttpExchange exchange, HttpRequest post) throws IOException {
    HttpResponse<InputStream> response = exchange.send(client, post, target.maxBytes());
    try {
      if (response.statusCode() / 100 == 2 && isType(response, "text/event-stream")) {
        noteSession(exchange, response);
        listener.streaming(Objects.requireNonNull(exchange.request().id()));
        follow(exchange, response.body());
      } else {
        answer(exchange, response);
      }
    } catch (InvalidMessage e) {
      exchange.fail(RpcError.INTERNAL_ERROR, "The MCP server's answer is not valid JSON-RPC.");
    }
  }

  private void answer(HttpExchange exchange, HttpResponse<InputStream> response)
      throws IOException, InvalidMessage {
    try (InputStream body = response.body()) {
      int status = response.statusCode();
      if (status == 404 && requests.sessionId().isPresent() && isOfSession(exchange.request())) {
        listener.lost();
        exchange.fail(RpcError.INTERNAL_ERROR, "The MCP server ended the session.");
      } else if (isType(response, "application/json")) {
        noteSession(exchange, response);
        exchange.answer(exchange.parse(body.readAllBytes()));
      } else {
        exchange.fail(
            RpcError.INTERNAL_ERROR, "The MCP server answers with status " + status + ".");
      }
    }
  }

  /** Notes what later messages need before the client can send them. */
  private void pass(Message request, Message message, Outlet outlet) {
    Map<String, @Nullable Object> result = message.result();
    if (result != null && request.method().equals("initialize")) {
      requests.session(
          requests.sessionId().orElse(null),
          result.get("protocolVersion") instanceof String version ? version : null);
    } else if (result != null && request.method().equals("tools/list")) {
      tools.learn(result);
    }
    outlet.send(message);
  }

  private static boolean isOfSession(Message message) {
    return Revision.of(message).isEmpty() && !message.method().equals("initialize");
  }

  private static boolean isType(HttpResponse<?> response, String type) {
    String sent = response.headers().firstValue("Content-Type").orElse("");
    return sent.split(";", 2)[0].strip().equalsIgnoreCase(type);
  }

  private void noteSession(HttpExchange exchange, HttpResponse<?> response) {
    if (exchange.request().method().equals("initialize")) {
      requests.session(response.headers().firstValue("Mcp-Session-Id").orElse(null), null);
    }
  }

  /** Reads the stream of a request, and the ones that go on with it, up to the response. */
  private void follow(HttpExchange exchange, InputStream first) throws IOException, InvalidMessage {
    InputStream body = first;
    int failures = 0;
    while (true) {
      boolean progressed = false;
      try {
        var events = new EventReader(body, target.maxBytes(), exchange.held());
        Optional<ServerSentEvent> event = events.next();
        while (event.isPresent() && !exchange.isDone()) {
          progressed |= exchange.take(event.get());
          event = exchange.isDone() ? Optional.empty() : events.next();
        }
      } catch (MessageMemory.Exhausted e) {
        throw e;
      } catch (IOException e) {
        logUnlessClosed("a stream of " + target.uri() + " breaks: " + e.getMessage());
      } finally {
        end(exchange, body);
      }
      failures = progressed ? 0 : failures + 1;
      String last = exchange.lastEventId();
      if (exchange.isDone()) {
        return;
      }
      if (last == null || !isOfSession(exchange.request()) || failures > MAX_RECONNECTIONS) {
        throw new IOException("The stream ends before the response");
      }
      listener.interrupted(Objects.requireNonNull(exchange.request().id()), exchange.retry());
      if (sleptUntilClosed(exchange.retry())) {
        return;
      }
      HttpResponse<InputStream> response =
          exchange.send(client, requests.get(last), target.maxBytes());
      if (response.statusCode() != 200 || !isType(response, "text/event-stream")) {
        response.body().close();
        throw new IOException("The stream does not go on: status " + response.statusCode());
      }
      body = response.body();
    }
  }

  /**
   * Closes a stream. After the response it is first read to its end, but not for long, because the
   * connection can then be used again; no caller waits for that.
   */
  private static void end(HttpExchange exchange, InputStream body) {
    if (!exchange.isAnswered()) {
      close(body);
      return;
    }
    var _ =
        CompletableFuture.runAsync(
                () -> {
                  try {
                    var _ = body.skip(LONGEST_REST);
                  } catch (IOException _) {
                    // Then the connection is lost.
                  }
                },
                Thread::startVirtualThread)
            .orTimeout(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete((_, _) -> close(body));
  }

  private static void close(InputStream body) {
    try {
      body.close();
    } catch (IOException _) {
      // It is closed then.
    }
  }

  private void logUnlessClosed(String line) {
    if (closed.getCount() > 0) {
      log.accept(line);
    }
  }

  private boolean sleptUntilClosed(Duration pause) {
    try {
      return closed.await(
          Math.min(pause.toMillis(), LONGEST_RETRY.toMillis()), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Lists the server's tools, so that a call carries the headers that its tool wants. */
  private void learnTools(Message call) throws IOException {
    Map<String, @Nullable Object> meta = new LinkedHashMap<>(call.meta());
    meta.remove("progressToken");
    Object cursor = null;
    for (int page = 0; page < MAX_PAGES; page++) {
      Map<String, @Nullable Object> params = new LinkedHashMap<>();
      params.put("_meta", meta);
      if (cursor != null) {
        params.put("cursor", cursor);
      }
      Message request = Message.request("tools-" + page, "tools/list", params);
      var list = newExchange(request, answer -> pass(request, answer, message -> {}));
      try {
        exchange(list, requests.post(request, Forwarded.none(), () -> {}));
      } finally {
        list.held().close();
      }
      cursor = list.result().map(result -> result.get("nextCursor")).orElse(null);
      if (cursor == null) {
        return;
      }
    }
  }

  @Override
  public void notify(Message notification, Forwarded headers) {
    if (notification.method().equals("notifications/cancelled")) {
      Object id = Message.idOf(notification.params().get("requestId"));
      HttpExchange exchange = id == null ? null : open.get(id);
      if (exchange != null) {
        cancel(Objects.requireNonNull(id), exchange, notification, headers);
        return;
      }
    }
    post(notification, headers);
    if (notification.method().equals("notifications/initialized")) {
      Thread.startVirtualThread(this::listen);
    }
  }

  /**
   * Passes a cancel on, without waiting for the server; the client may use the id again at once.
   * Where the server cannot be told in time, the connection of the request is closed.
   */
  private void cancel(Object id, HttpExchange exchange, Message notification, Forwarded headers) {
    // Without sessions, a closed stream is what cancels its request.
    boolean isClosedOnly =
        Revision.of(exchange.request()).isPresent()
            || exchange.cancelUnsent()
            || cancels.size() >= MOST_CANCELS;
    if (isClosedOnly) {
      open.remove(id, exchange);
      exchange.cancel();
      return;
    }
    var told = new CompletableFuture<Void>();
    cancels.put(id, told);
    open.remove(id, exchange);
    Thread.startVirtualThread(() -> {
      try {
        if (exchange.awaitHandedOver(LONGEST_CANCEL)) {
          post(notification, headers, LONGEST_CANCEL);
        }
      } finally {
        exchange.cancel();
        cancels.remove(id, told);
        told.complete(null);
      }
    });
  }

  /** A server that loses the session before it hears of a cancel works on. */
  private void awaitCancels() {
    var _ =
        CompletableFuture.allOf(cancels.values().toArray(CompletableFuture[]::new))
            .completeOnTimeout(null, LONGEST_END.toMillis(), TimeUnit.MILLISECONDS)
            .join();
  }

  /** A server that hears of a cancel later could take it for one of the next request of the id. */
  private void awaitCancel(Object id) {
    CompletableFuture<Void> cancel = cancels.get(id);
    if (cancel != null) {
      cancel.join();
    }
  }

  @Override
  public void respond(Message response) {
    post(response, Forwarded.none());
  }

  private void post(Message message, Forwarded headers) {
    post(message, headers, target.timeout());
  }

  private void post(Message message, Forwarded headers, Duration longest) {
    HttpExchange exchange = newExchange(message, answer -> {});
    HttpRequest post =
        HttpRequest.newBuilder(requests.post(message, headers, () -> {}), (_, _) -> true)
            .timeout(longest)
            .build();
    try {
      HttpResponse<InputStream> response = exchange.send(client, post, target.maxBytes());
      response.body().close();
      if (response.statusCode() == 404 && requests.sessionId().isPresent()) {
        listener.lost();
      }
    } catch (IOException e) {
      logUnlessClosed(target.uri() + " fails: " + e.getMessage());
    } finally {
      exchange.held().close();
    }
  }

  /** Reads the stream of the session, which a server may refuse to have. */
  private void listen() {
    HttpExchange exchange = newExchange(Message.notification("listen", Map.of()), message -> {});
    stream = exchange;
    Set<Integer> refusals = Set.of(400, 401, 403, 404, 405, 406, 501);
    int failures = 0;
    while (closed.getCount() > 0 && failures <= MAX_RECONNECTIONS) {
      failures++;
      try {
        HttpResponse<InputStream> response =
            exchange.send(client, requests.get(exchange.lastEventId()), target.maxBytes());
        try (var events = new EventReader(response.body(), target.maxBytes(), exchange.held())) {
          if (refusals.contains(response.statusCode())) {
            return;
          }
          Optional<ServerSentEvent> event =
              isType(response, "text/event-stream") ? events.next() : Optional.empty();
          while (event.isPresent()) {
            failures = 0;
            exchange.note(event.get());
            if (!event.get().data().isEmpty()) {
              Message message = exchange.parse(event.get().data().getBytes(StandardCharsets.UTF_8));
              if (message.kind() != Message.Kind.RESPONSE) {
                unsolicited.send(message);
              }
            }
            event = events.next();
          }
        }
      } catch (IOException | InvalidMessage e) {
        logUnlessClosed("a stream of " + target.uri() + " breaks: " + e.getMessage());
      } finally {
        exchange.held().clear();
      }
      if (sleptUntilClosed(exchange.retry())) {
        return;
      }
    }
  }

  @Override
  public void unsolicited(Outlet outlet) {
    unsolicited = outlet;
  }

  @Override
  public void close() {
    if (closed.getCount() == 0) {
      return;
    }
    closed.countDown();
    HttpExchange listening = stream;
    if (listening != null) {
      listening.cancel();
    }
    open.values()
        .forEach(exchange -> {
          exchange.fail(RpcError.INTERNAL_ERROR, "The connection to the MCP server is closed.");
          exchange.cancel();
        });
    awaitCancels();
    if (requests.sessionId().isPresent()) {
      var _ =
          client
              .sendAsync(requests.delete(), BodyHandlers.discarding())
              .orTimeout(DEFAULT_RETRY.toMillis(), TimeUnit.MILLISECONDS)
              .exceptionally(e -> null);
    }
  }
}
