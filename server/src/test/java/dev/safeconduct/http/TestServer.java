package dev.safeconduct.http;

import dev.safeconduct.config.Env;
import dev.safeconduct.error.Problem;
import dev.safeconduct.http.RawConnection.Answer;
import dev.safeconduct.http.server.Timeouts;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.telemetry.Metrics;
import dev.safeconduct.telemetry.Traces;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The real server on a free port, with three credentials: {@code reader}, {@code bare}, admin. */
final class TestServer implements AutoCloseable {
  static final String ADMIN = "Authorization: Bearer the-admin-token\r\n";
  static final String READER = "X-API-Key: reader\r\n";
  static final String BARE = "X-API-Key: bare\r\n";
  static final String JSON = "Content-Type: application/json\r\n";
  static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");

  private final Metrics metrics = new Metrics("0", false);
  private final HttpServer server;

  TestServer(Map<String, String> settings, Route... routes) {
    this(settings, Timeouts.DEFAULT, routes);
  }

  TestServer(Map<String, String> settings, Timeouts timeouts, Route... routes) {
    var variables = new HashMap<>(settings);
    variables.put("PORT", "0");
    variables.putIfAbsent("DRAIN_SECONDS", "0");
    var env = new Env(variables);
    HttpConfig config = HttpConfig.from(env).with(timeouts);
    env.check();
    server =
        HttpServer.start(
            config,
            List.of(routes),
            TestServer::authenticate,
            (_, _, _, _) -> RateLimitStatus.UNLIMITED,
            metrics,
            List.of(),
            Traces.off(),
            InstantSource.fixed(NOW));
  }

  TestServer(Route... routes) {
    this(Map.of(), routes);
  }

  HttpServer server() {
    return server;
  }

  RawConnection connect() throws IOException {
    return new RawConnection(server.port());
  }

  /** Sends a request line, further header lines, and a body; reads the one answer. */
  Answer send(String requestLine, String headers, String body) throws IOException {
    try (RawConnection connection = connect()) {
      return connection
          .send(request(requestLine, headers, body))
          .answer(requestLine.startsWith("HEAD "));
    }
  }

  Answer get(String path, String headers) throws IOException {
    return send("GET " + path, headers, "");
  }

  Answer post(String path, String headers, String body) throws IOException {
    return send("POST " + path, headers, body);
  }

  static String request(String requestLine, String headers, String body) {
    String length = body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n";
    return requestLine + " HTTP/1.1\r\nHost: localhost\r\n" + headers + length + "\r\n" + body;
  }

  private static Caller authenticate(String credential, boolean bearer, String clientAddress) {
    return switch (credential) {
      case "reader" -> key("reader", Set.of(Scope.READ));
      case "bare" -> key("bare", Set.of());
      case "the-admin-token" -> {
        if (!bearer) {
          throw new Problem.Unauthorized("The admin token goes in Authorization.").toException();
        }
        yield new Caller.Admin();
      }
      case "limited" ->
          throw new Problem.RateLimited(
                  "Too many tries from " + clientAddress + ".", 7, Optional.empty())
              .toException();
      default -> throw new Problem.Unauthorized("No such key.").toException();
    };
  }

  private static Caller key(String id, Set<Scope> scopes) {
    return new Caller.Key(id, new OrgId("org_1"), scopes, Optional.empty());
  }

  @Override
  public void close() {
    server.close();
  }
}
