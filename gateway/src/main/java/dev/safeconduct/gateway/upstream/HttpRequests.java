package dev.safeconduct.gateway.upstream;

import dev.safeconduct.gateway.http.HeaderValue;
import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.http.ToolHeaders;
import dev.safeconduct.gateway.rpc.Message;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes the HTTP requests that carry messages to a server. Thread-safe. */
final class HttpRequests {
  private final HttpTarget target;
  private final ToolHeaders tools;
  private volatile @Nullable String sessionId;
  private volatile @Nullable String version;

  HttpRequests(HttpTarget target, ToolHeaders tools) {
    this.target = target;
    this.tools = tools;
  }

  /** Sets what every later message of a session repeats. */
  void session(@Nullable String id, @Nullable String negotiated) {
    sessionId = id;
    version = negotiated;
  }

  Optional<String> sessionId() {
    return Optional.ofNullable(sessionId);
  }

  /**
   * Carries a message.
   *
   * @param onHandedOver runs when the connection has all of it
   */
  HttpRequest post(Message message, Forwarded forwarded, Runnable onHandedOver) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.putAll(forwarded.fields());
    headers.put("Content-Type", "application/json");
    headers.put("Accept", "application/json, text/event-stream");
    Optional<String> stateless = Revision.of(message);
    if (stateless.isPresent()) {
      // Always from the body that was checked, never from what the client said about it.
      headers.put("MCP-Protocol-Version", stateless.get());
      headers.put("Mcp-Method", message.method());
      Revision.name(message).ifPresent(name -> headers.put("Mcp-Name", HeaderValue.encode(name)));
      putParameters(message, headers);
    } else if (!message.method().equals("initialize")) {
      putSession(headers);
    }
    return request(headers)
        .POST(new NotedBody(BodyPublishers.ofByteArray(message.bytes()), onHandedOver))
        .build();
  }

  private void putParameters(Message message, Map<String, String> headers) {
    if (!message.method().equals("tools/call")) {
      return;
    }
    String tool = Revision.name(message).orElse("");
    for (var entry : tools.of(tool, message.params().get("arguments")).entrySet()) {
      if (entry.getValue() != null) {
        headers.put(entry.getKey(), HeaderValue.encode(entry.getValue().toString()));
      }
    }
  }

  /** Opens the stream of a session, or goes on with one that broke. */
  HttpRequest get(@Nullable String lastEventId) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.put("Accept", "text/event-stream");
    putSession(headers);
    if (lastEventId != null) {
      headers.put("Last-Event-ID", lastEventId);
    }
    return request(headers).GET().build();
  }

  HttpRequest delete() {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    putSession(headers);
    return request(headers).DELETE().build();
  }

  private void putSession(Map<String, String> headers) {
    String id = sessionId;
    String negotiated = version;
    if (id != null) {
      headers.put("Mcp-Session-Id", id);
    }
    // Revisions before 2025-06-18 do not have the header.
    if (negotiated != null && negotiated.compareTo("2025-06-18") >= 0) {
      headers.put("MCP-Protocol-Version", negotiated);
    }
  }

  private HttpRequest.Builder request(Map<String, String> headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(target.uri()).timeout(target.timeout());
    headers.putAll(target.headers());
    headers.forEach(request::setHeader);
    return request;
  }
}
