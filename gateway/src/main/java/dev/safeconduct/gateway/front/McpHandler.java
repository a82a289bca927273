package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.config.GatewayConfig;
import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.identity.Identities;
import dev.safeconduct.gateway.relay.Principal;
import dev.safeconduct.gateway.rpc.InvalidMessage;
import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Message.Kind;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;

/** Takes the HTTP requests of clients: each is checked and passed on, or refused. */
final class McpHandler {
  private static final String PATH = "/mcp/";
  private static final String SESSION = "Mcp-Session-Id";
  private static final int CHUNK = 8 << 10;

  private final int maxBody;
  private final Map<String, McpEndpoint> endpoints = new TreeMap<>();
  private final Identities identities;
  private final Addresses addresses;
  private final ClientSessions sessions;
  private final HostCheck hosts;

  McpHandler(
      GatewayConfig gateway,
      List<McpEndpoint> endpoints,
      Identities identities,
      Addresses addresses,
      ClientSessions sessions) {
    this.maxBody = gateway.maxMessageBytes();
    endpoints.forEach(endpoint -> this.endpoints.put(endpoint.name(), endpoint));
    this.identities = identities;
    this.addresses = addresses;
    this.sessions = sessions;
    this.hosts = new HostCheck(gateway.http().allowedHosts(), gateway.http().allowedOrigins());
  }

  /** Answers a request; returns when it is answered or its client is gone. */
  void handle(Request request, JettySink sink) {
    try {
      try {
        hosts.check(
            request.getHeaders().getValuesList("Host"),
            request.getHeaders().getValuesList("Origin"));
        route(request, sink);
      } catch (Refusal e) {
        sink.refuse(e);
      } catch (InvalidMessage e) {
        sink.send(400, Map.of(), e.response().bytes());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      sink.end();
    } catch (IOException _) {
      sink.end(); // The client is gone.
    }
  }

  private void route(Request request, JettySink sink)
      throws Refusal, InvalidMessage, IOException, InterruptedException {
    String path = Request.getPathInContext(request);
    for (McpEndpoint endpoint : endpoints.values()) {
      if (request.getMethod().equals("GET") && addresses.isMetadata(path, endpoint.name())) {
        sink.send(200, Map.of(), metadata(endpoint.name()));
        return;
      }
    }
    McpEndpoint endpoint =
        path.startsWith(PATH) ? endpoints.get(path.substring(PATH.length())) : null;
    if (endpoint == null) {
      throw Refusal.of(404, "No server has this path.");
    }
    Principal principal = principal(request, endpoint);
    MessageMemory memory = sessions.memory(principal);
    sink.charge(memory.forAnswer());
    switch (request.getMethod()) {
      case "POST" -> post(request, endpoint, principal, memory, sink);
      case "GET" ->
          session(request.getHeaders(), endpoint, principal)
              .listen(request.getHeaders().get("Last-Event-ID"), sink);
      case "DELETE" -> {
        var _ = session(request.getHeaders(), endpoint, principal);
        sessions.remove(Objects.requireNonNull(request.getHeaders().get(SESSION)));
        sink.send(200);
      }
      default ->
          throw Refusal.of(405, "Only POST, GET and DELETE.", Map.of("Allow", "POST, GET, DELETE"));
    }
  }

  private byte[] metadata(String name) {
    var metadata = new LinkedHashMap<String, Object>();
    metadata.put("resource", addresses.endpoint(name));
    if (!identities.issuers().isEmpty()) {
      metadata.put("authorization_servers", identities.issuers());
    }
    metadata.put("bearer_methods_supported", List.of("header"));
    metadata.put("resource_name", name);
    return Json.write(metadata);
  }

  private Principal principal(Request request, McpEndpoint endpoint) throws Refusal {
    List<String> sent = request.getHeaders().getValuesList("Authorization");
    Optional<Principal> principal =
        sent.size() > 1
            ? Optional.empty()
            : identities.of(
                sent.isEmpty() ? null : sent.getFirst(), addresses.endpoint(endpoint.name()));
    if (principal.isEmpty()) {
      String error = sent.isEmpty() ? "" : "error=\"invalid_token\", ";
      String challenge =
          "Bearer " + error + "resource_metadata=\"" + addresses.metadata(endpoint.name()) + "\"";
      throw Refusal.of(
          401, "The request needs a valid token.", Map.of("WWW-Authenticate", challenge));
    }
    return principal.get();
  }

  private ClientSession session(HttpFields headers, McpEndpoint endpoint, Principal principal)
      throws Refusal {
    List<String> ids = headers.getValuesList(SESSION);
    if (headers.getValuesList("MCP-Protocol-Version").stream()
        .anyMatch(version -> !Revision.WITH_SESSIONS.contains(version))) {
      // Revisions without sessions have POST only, and clients may hold an id they do not need.
      throw Refusal.of(405, "This revision has POST only.", Map.of("Allow", "POST"));
    }
    if (ids.size() != 1) {
      throw Refusal.of(400, "The request needs one " + SESSION + " header.");
    }
    return sessions
        .find(ids.getFirst(), principal, endpoint)
        .orElseThrow(() -> Refusal.of(404, "There is no such session."));
  }

  private void post(
      Request request,
      McpEndpoint endpoint,
      Principal principal,
      MessageMemory memory,
      JettySink sink)
      throws Refusal, InvalidMessage, IOException, InterruptedException {
    HttpFields headers = request.getHeaders();
    String type = Objects.requireNonNullElse(headers.get("Content-Type"), "");
    if (!type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals("application/json")) {
      throw Refusal.of(415, "The Content-Type must be application/json.");
    }
    // Calls that wait may need a short message, like an answer for the server, to go on.
    boolean isShort = request.getLength() >= 0 && request.getLength() <= CHUNK;
    MessageMemory.Part held = isShort ? memory.forShort() : memory.forRequest();
    try {
      Message message = Message.parse(body(request, held));
      take(message, held, headers, endpoint, principal, sink);
      if (message.kind() != Kind.REQUEST) {
        held.close();
      }
    } catch (Refusal | InvalidMessage | IOException | RuntimeException | Error e) {
      held.close();
      throw e;
    }
  }

  private void take(
      Message message,
      MessageMemory.Part held,
      HttpFields headers,
      McpEndpoint endpoint,
      Principal principal,
      JettySink sink)
      throws Refusal, IOException, InterruptedException {
    var check = new HeaderCheck(message, headers::getValuesList);
    if (HeaderCheck.isStateless(message, headers.getValuesList("MCP-Protocol-Version"))) {
      ClientSession session = sessions.stateless(principal, endpoint);
      boolean isCall = message.method().equals("tools/call") && Revision.of(message).isPresent();
      if (isCall && endpoint.tools().needsList(Revision.name(message).orElse(""))) {
        session.learnTools(message);
      }
      check.checkStateless(endpoint.tools());
      pass(message, held, headers, session, sink);
      return;
    }
    check.checkIfPresent();
    if (message.kind() == Kind.REQUEST && message.method().equals("initialize")) {
      if (headers.contains(SESSION)) {
        throw Refusal.of(400, "A session starts with initialize without " + SESSION + ".");
      }
      initialize(message, held, headers, sessions.open(principal, endpoint), sink);
      return;
    }
    pass(message, held, headers, session(headers, endpoint, principal), sink);
  }

  private static void pass(
      Message message,
      MessageMemory.Part held,
      HttpFields headers,
      ClientSession session,
      JettySink sink)
      throws Refusal, IOException, InterruptedException {
    if (message.kind() == Kind.REQUEST) {
      session.request(message, held, forwarded(headers), sink, (stream, first) -> {});
    } else {
      session.tell(message, forwarded(headers));
      sink.send(202);
    }
  }

  /** Reads the body, whose bytes take their room as they arrive. */
  private byte[] body(Request request, MessageMemory.Part held) throws Refusal, IOException {
    if (request.getLength() > maxBody) {
      throw tooLong(maxBody);
    }
    var bytes =
        new ByteArrayOutputStream((int) Math.max(256, Math.min(request.getLength(), CHUNK)));
    // Not as a stream: to close one before its end would forbid to read the rest later.
    for (boolean isLast = false; !isLast; ) {
      Content.Chunk chunk = next(request);
      try {
        // Twice: the bytes are copied as they become more.
        int more = chunk.remaining();
        if (!held.take(2L * more)) {
          throw noRoom(held, 2L * more);
        }
        BufferUtil.writeTo(chunk.getByteBuffer(), bytes);
        if (bytes.size() > maxBody) {
          throw tooLong(maxBody);
        }
      } finally {
        chunk.release();
      }
      isLast = chunk.isLast();
    }
    byte[] all = bytes.toByteArray();
    if (!held.takeForValues(all)) {
      throw noRoom(held, MessageMemory.sizeOfValues(all));
    }
    return all;
  }

  private static Content.Chunk next(Request request) throws IOException {
    while (true) {
      Content.Chunk chunk = request.read();
      if (Content.Chunk.isFailure(chunk)) {
        throw new IOException(chunk.getFailure());
      } else if (chunk != null) {
        return chunk;
      }
      try (Blocker.Runnable ready = Blocker.runnable()) {
        request.demand(ready);
        ready.block();
      }
    }
  }

  private static Refusal tooLong(int most) {
    return Refusal.of(
        413, "The message has more than " + most + " bytes.", Map.of("Connection", "close"));
  }

  private static Refusal noRoom(MessageMemory.Part held, long more) {
    if (held.isTooLarge(more)) {
      return Refusal.of(
          413,
          "The message is too large, or has too many values, for memory_mib of the gateway.",
          Map.of("Connection", "close"));
    }
    return Refusal.of(
        503,
        "Your messages, or those of all clients, take all memory that they may.",
        Map.of("Retry-After", "1", "Connection", "close"));
  }

  private static void initialize(
      Message message,
      MessageMemory.Part held,
      HttpFields headers,
      ClientSessions.Opening opening,
      JettySink sink)
      throws Refusal, InterruptedException {
    try {
      opening
          .session()
          .request(
              message,
              held,
              forwarded(headers),
              sink,
              (stream, first) -> {
                if (first.error() == null) {
                  stream.header(SESSION, opening.publish());
                }
              });
    } finally {
      opening.closeUnlessPublished();
    }
  }

  /**
   * Passes on what traces the request. No header that says something about the message: those are
   * written anew from the message.
   */
  private static Forwarded forwarded(HttpFields headers) {
    var fields = new LinkedHashMap<String, String>();
    for (HttpField field : headers) {
      String name = field.getName().toLowerCase(Locale.ROOT);
      if (name.equals("traceparent") || name.equals("tracestate")) {
        fields.put(name, Objects.requireNonNullElse(field.getValue(), ""));
      }
    }
    return new Forwarded(fields);
  }
}
