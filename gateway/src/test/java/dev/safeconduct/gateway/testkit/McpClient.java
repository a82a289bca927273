package dev.safeconduct.gateway.testkit;

import dev.safeconduct.gateway.http.EventReader;
import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.http.ServerSentEvent;
import dev.safeconduct.gateway.rpc.InvalidMessage;
import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client that sends what it is told. */
public final class McpClient {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** The time-out of a request of Java's client ends with the head of its answer. */
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(30);

  private static final MessageMemory.Part ROOM = MessageMemory.unlimited().forAnswer();

  private final String url;
  private final Map<String, String> headers = new LinkedHashMap<>();

  /**
   * An answer.
   *
   * @param events those of a stream; empty for another body
   */
  public record Answer(
      int status, HttpResponse<?> http, String body, List<ServerSentEvent> events) {
    /** Returns the last message. */
    public Message message() {
      String text = events.isEmpty() ? body : events.getLast().data();
      try {
        return Message.parse(text.getBytes(StandardCharsets.UTF_8));
      } catch (InvalidMessage e) {
        throw new AssertionError(status + ": " + text, e);
      }
    }

    /** Returns the result of the last message. */
    public Map<String, @Nullable Object> result() {
      Map<String, @Nullable Object> result = message().result();
      if (result == null) {
        throw new AssertionError(status + ": " + body);
      }
      return result;
    }

    /** Returns the code of the error. */
    public int code() {
      return Message.objectOrEmpty(message().error()).get("code") instanceof Number code
          ? code.intValue()
          : 0;
    }

    /** Returns the text of a tool's result. */
    public String text() {
      return result().get("content") instanceof List<?> content
          ? String.valueOf(Message.objectOrEmpty(content.getFirst()).get("text"))
          : "";
    }

    /** Returns a header. */
    public String header(String name) {
      return http.headers().firstValue(name).orElse("");
    }
  }

  /** Prepares a client. */
  public McpClient(String url) {
    this.url = url;
    with("Content-Type", "application/json").with("Accept", "application/json, text/event-stream");
  }

  /** Sends a header with every request. */
  public McpClient with(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** Starts a session, whose id every later request repeats. */
  public McpClient start(Map<String, ?> capabilities) throws IOException {
    Answer answer =
        send(
            Message.request(
                1,
                "initialize",
                Map.of(
                    "protocolVersion",
                    "2025-11-25",
                    "capabilities",
                    capabilities,
                    "clientInfo",
                    Map.of("name", "test", "version", "1"))));
    answer.result();
    with("Mcp-Session-Id", answer.header("Mcp-Session-Id"));
    with("MCP-Protocol-Version", "2025-11-25");
    send(Message.notification("notifications/initialized", Map.of()));
    return this;
  }

  /** Calls a tool. */
  public Answer call(Object id, String tool, Map<String, ?> arguments) throws IOException {
    return send(Message.request(id, "tools/call", Map.of("name", tool, "arguments", arguments)));
  }

  /** Returns a request of the revision without sessions. */
  public static Message stateless(
      Object id, String method, Map<String, ?> params, Map<String, ?> capabilities) {
    var all = new LinkedHashMap<String, @Nullable Object>(params);
    all.put(
        "_meta",
        Map.of(
            Revision.VERSION,
            Revision.STATELESS,
            Revision.CLIENT_INFO,
            Map.of("name", "test", "version", "1"),
            Revision.CAPABILITIES,
            capabilities));
    return Message.request(id, method, all);
  }

  /** Sends a request of the revision without sessions, with its headers. */
  public Answer sendStateless(Message message) throws IOException {
    var more = new LinkedHashMap<String, String>();
    more.put("MCP-Protocol-Version", Revision.STATELESS);
    more.put("Mcp-Method", message.method());
    Revision.name(message).ifPresent(name -> more.put("Mcp-Name", name));
    return send("POST", message.bytes(), more);
  }

  /** Sends a message. */
  public Answer send(Message message) throws IOException {
    return send("POST", message.bytes(), Map.of());
  }

  /** Sends any request. */
  public Answer send(String verb, byte[] body, Map<String, String> more) throws IOException {
    var request = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(20));
    request.method(
        verb, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    headers.forEach(request::setHeader);
    more.forEach(request::setHeader);
    CompletableFuture<HttpResponse<byte[]>> sent =
        HTTP.sendAsync(request.build(), BodyHandlers.ofByteArray());
    try {
      HttpResponse<byte[]> answer = sent.get(LONGEST_ANSWER.toSeconds(), TimeUnit.SECONDS);
      String text = new String(answer.body(), StandardCharsets.UTF_8);
      boolean isStream =
          answer.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
      return new Answer(
          answer.statusCode(), answer, text, isStream ? events(answer.body()) : List.of());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (TimeoutException e) {
      sent.cancel(true);
      throw new IOException("the answer has no end", e);
    }
  }

  /** Reads the session's own stream to its end. */
  public void listen(Consumer<ServerSentEvent> onEvent) {
    var request = HttpRequest.newBuilder(URI.create(url)).GET();
    headers.forEach(request::setHeader);
    try {
      HttpResponse<InputStream> answer = HTTP.send(request.build(), BodyHandlers.ofInputStream());
      try (var reader = new EventReader(answer.body(), 1 << 20, ROOM)) {
        for (var next = reader.next(); next.isPresent(); next = reader.next()) {
          onEvent.accept(next.get());
        }
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<ServerSentEvent> events(byte[] body) throws IOException {
    var events = new ArrayList<ServerSentEvent>();
    try (var reader = new EventReader(new ByteArrayInputStream(body), 1 << 20, ROOM)) {
      for (Optional<ServerSentEvent> next = reader.next(); next.isPresent(); next = reader.next()) {
        events.add(next.get());
      }
    }
    return events;
  }

  /** Parses JSON. */
  public static Map<String, @Nullable Object> json(String text) throws IOException {
    return Message.objectOrEmpty(Json.parse(text.getBytes(StandardCharsets.UTF_8)));
  }
}
