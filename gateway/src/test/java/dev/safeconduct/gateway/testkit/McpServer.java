package dev.safeconduct.gateway.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.rpc.InvalidMessage;
import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Message.Kind;
import dev.safeconduct.gateway.rpc.RpcError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server over HTTP whose answers follow from the request alone: the tool {@code echo}
 * returns its arguments. Tests replace what they need.
 */
public final class McpServer implements AutoCloseable {
  private final HttpServer server;
  private final Set<Kinds> kinds;
  private final Set<String> sessions = ConcurrentHashMap.newKeySet();
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile Script script = (exchange, request) -> false;

  /** The kinds of revisions that a server has. */
  public enum Kinds {
    WITH_SESSIONS,
    STATELESS
  }

  /**
   * What the server got.
   *
   * @param headers names in lower case, first values
   * @param message null for GET and DELETE
   */
  public record Received(String verb, Map<String, String> headers, @Nullable Message message) {
    /** Returns {@code _meta} of the message. */
    public Map<String, @Nullable Object> meta() {
      return message == null ? Map.of() : message.meta();
    }

    /** Returns the method of the message. */
    public String method() {
      return message == null ? "" : message.method();
    }
  }

  /** Answers in the server's place. */
  @FunctionalInterface
  public interface Script {
    /** Returns whether it answered. */
    boolean answer(HttpExchange exchange, Received request) throws IOException;
  }

  /** Starts it on a free port. */
  public McpServer(Kinds... kinds) throws IOException {
    this.kinds = Set.of(kinds);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::handle);
    server.start();
  }

  /** Returns the address of its endpoint. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/mcp";
  }

  /** Sets what answers first. */
  public void script(Script next) {
    script = next;
  }

  /** Returns all that it got. */
  public List<Received> received() {
    return List.copyOf(received);
  }

  /** Returns how often a method was called. */
  public long count(String method) {
    return received.stream().filter(each -> each.method().equals(method)).count();
  }

  /** Forgets the sessions. */
  public void endSessions() {
    sessions.clear();
  }

  /** Waits until the server stops. */
  public void awaitStop() {
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    stopped.countDown();
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      var headers = new LinkedHashMap<String, String>();
      exchange
          .getRequestHeaders()
          .forEach((name, values) ->
              headers.put(name.toLowerCase(java.util.Locale.ROOT), values.getFirst()));
      Message message = body.length == 0 ? null : Message.parse(body);
      var request = new Received(exchange.getRequestMethod(), headers, message);
      received.add(request);
      if (script.answer(exchange, request)) {
        return;
      }
      answer(exchange, request);
    } catch (InvalidMessage e) {
      throw new IOException(e);
    }
  }

  private void answer(HttpExchange exchange, Received request) throws IOException {
    Message message = request.message();
    String session = request.headers().getOrDefault("mcp-session-id", "");
    boolean isStateless = message != null && Revision.of(message).isPresent();
    if (message == null) {
      boolean isEnd = request.verb().equals("DELETE") && sessions.remove(session);
      exchange.sendResponseHeaders(isEnd ? 200 : 405, -1);
    } else if (isStateless && !kinds.contains(Kinds.STATELESS)) {
      send(exchange, 400, Message.error(message.id(), RpcError.of(-32000, "Bad request")));
    } else if (!isStateless && !kinds.contains(Kinds.WITH_SESSIONS)) {
      send(exchange, 400, Message.error(message.id(), RpcError.of(-32602, "Missing _meta")));
    } else if (message.method().equals("initialize")) {
      String id = UUID.randomUUID().toString();
      sessions.add(id);
      exchange.getResponseHeaders().set("Mcp-Session-Id", id);
      send(exchange, 200, Message.result(message.id(), about("protocolVersion", "2025-11-25")));
    } else if (!isStateless && !sessions.contains(session)) {
      send(exchange, 404, Message.error(message.id(), RpcError.of(-32001, "No session")));
    } else if (message.kind() != Kind.REQUEST) {
      exchange.sendResponseHeaders(202, -1);
    } else {
      send(exchange, 200, response(message));
    }
  }

  private static Map<String, @Nullable Object> about(String member, Object version) {
    var about = new LinkedHashMap<String, @Nullable Object>();
    about.put(member, version);
    about.put("capabilities", Map.of("tools", Map.of(), "resources", Map.of("subscribe", true)));
    about.put("serverInfo", Map.of("name", "test", "version", "1"));
    return about;
  }

  private static Message response(Message request) {
    boolean isStateless = Revision.of(request).isPresent();
    var result = new LinkedHashMap<String, @Nullable Object>();
    if (isStateless) {
      result.put("resultType", "complete");
    }
    switch (request.method()) {
      case "server/discover" ->
          result.putAll(about("supportedVersions", List.of(Revision.STATELESS)));
      case "tools/list" -> result.put("tools", List.of(tool("echo"), tool("stream")));
      case "tools/call" -> {
        if (!Set.of("echo", "stream").contains(String.valueOf(request.params().get("name")))) {
          return Message.error(request.id(), RpcError.of(-32602, "Unknown tool"));
        }
        String text =
            new String(Json.write(request.params().get("arguments")), StandardCharsets.UTF_8);
        result.put("content", List.of(Map.of("type", "text", "text", text)));
      }
      case "resources/read" ->
          result.put(
              "contents",
              List.of(Map.of("uri", String.valueOf(request.params().get("uri")), "text", "x")));
      case "ping" -> {
        // The empty result.
      }
      default -> {
        return Message.error(request.id(), RpcError.of(-32601, "Method not found"));
      }
    }
    return Message.result(request.id(), result);
  }

  private static Map<String, Object> tool(String name) {
    return Map.of(
        "name",
        name,
        "inputSchema",
        Map.of(
            "type",
            "object",
            "properties",
            Map.of(
                "region", Map.of("type", "string", "x-mcp-header", "Region"),
                "count", Map.of("type", "integer", "x-mcp-header", "Count"))));
  }

  /** Answers with a message. */
  public static void send(HttpExchange exchange, int status, Message message) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, message.bytes().length);
    exchange.getResponseBody().write(message.bytes());
  }

  /** Answers with a stream of events. */
  public static void sendEvents(HttpExchange exchange, String... events) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    for (String event : events) {
      write(exchange, event + "\n\n");
    }
  }

  /** Goes on with an answer. */
  public static void write(HttpExchange exchange, String text) throws IOException {
    exchange.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
    exchange.getResponseBody().flush();
  }
}
