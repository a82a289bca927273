package dev.safeconduct.http;

import dev.safeconduct.http.server.ListenerConfig;
import dev.safeconduct.http.server.WebServer;
import dev.safeconduct.telemetry.Metrics;
import dev.safeconduct.telemetry.Traces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** The running HTTP server. */
public final class HttpServer implements AutoCloseable {
  private static final Duration RENEW_EVERY = Duration.ofSeconds(5);

  private final WebServer server;
  private final Duration drain;
  private final Readiness readiness;
  private final List<Route> routes;
  private final Thread renewal;

  private HttpServer(WebServer server, Duration drain, Readiness readiness, List<Route> routes) {
    this.server = server;
    this.drain = drain;
    this.readiness = readiness;
    this.routes = routes;
    this.renewal = Thread.ofVirtual().name("certificate-renewal").start(this::renewOn);
  }

  /**
   * Binds the address and serves at once. {@code /readyz} reports not ready until {@link #ready}.
   *
   * @param routes all routes except the health routes, which are added here
   * @throws IllegalArgumentException for two routes of the same method and path
   * @throws UncheckedIOException when the address cannot be bound
   */
  public static HttpServer start(
      HttpConfig config,
      List<Route> routes,
      Authenticator authenticator,
      RateLimiter throttle,
      Metrics metrics,
      List<HealthCheck> parts,
      Traces traces,
      InstantSource clock) {
    var readiness = new Readiness();
    var all = new ArrayList<>(routes);
    all.addAll(new HealthRoutes(readiness, parts, metrics).all());
    var random = new SecureRandom();
    var cookies =
        new Cookies(
            authenticator,
            new HashSet<>(
                List.of(FetchSite.origin(config.baseUrl()), FetchSite.origin(config.issueUrl()))));
    var dispatcher =
        new Dispatcher(
            new RouteTable(all),
            new CallerCheck(
                new RouteAuthorizer(authenticator, config.anonymousVerify()),
                throttle,
                cookies,
                new ClientAddress(config.trustedProxies())),
            new BodyReader(new LargeBodies(config.maxLargeBodiesBytes())),
            new Cors(config.corsAllowedOrigins()),
            new ProblemResponses(clock, config.baseUrl().toString()),
            new RequestIds(random.nextLong(), random.nextLong()),
            new Observation(all, metrics, traces, clock),
            clock);
    try {
      WebServer server = WebServer.start(config.server(), dispatcher, HttpServer::exit);
      metrics.gauge("http_server_connections", "Open connections of clients", server::connections);
      metrics.gauge(
          "http_server_connections_max",
          "MAX_CONNECTIONS: further connections are closed at once",
          config.server()::maxConnections);
      if (server.certificateExpiry().isPresent()) {
        metrics.gauge(
            "safeconduct_tls_certificate_expiry_timestamp_seconds",
            "When the certificate in use expires, as Unix time; absent without TLS",
            () -> server.certificateExpiry().orElseThrow().getEpochSecond());
      }
      return new HttpServer(server, config.drain(), readiness, List.copyOf(all));
    } catch (IOException e) {
      throw unusable(config.server().bind(), config.server().port(), e);
    }
  }

  /** Ends a process that can no longer be reached, so that its supervisor starts a new one. */
  private static void exit() {
    Thread.ofPlatform().name("exit").start(() -> System.exit(1));
  }

  /**
   * Checks the address and the certificate, so that a failing start ends before it creates
   * anything.
   *
   * @throws UncheckedIOException when the address cannot be bound
   * @throws RuntimeException when the certificate and its key cannot be used
   */
  public static void check(HttpConfig config) {
    ListenerConfig server = config.server();
    server.tls().ifPresent(WebServer::check);
    freePort(server.bind(), server.port());
  }

  /**
   * Returns a free port: {@code port} itself, or any free port when it is 0.
   *
   * @throws UncheckedIOException when there is none
   */
  public static int freePort(String bind, int port) {
    try (var socket = new ServerSocket()) {
      socket.setReuseAddress(true); // as the server does
      socket.bind(new InetSocketAddress(bind, port));
      return socket.getLocalPort();
    } catch (IOException e) {
      throw unusable(bind, port, e);
    }
  }

  private static UncheckedIOException unusable(String bind, int port, IOException e) {
    return new UncheckedIOException(
        "BIND " + bind + " and PORT " + port + " cannot be listened on: " + e.getMessage(), e);
  }

  /** Returns the bound port, also when 0 was requested. */
  public int port() {
    return server.port();
  }

  /** Returns all routes, including the health routes. */
  public List<Route> routes() {
    return routes;
  }

  /** Sets whether the server wants traffic; call with true when the warm-up is done. */
  public void ready(boolean ready) {
    readiness.ready(ready);
  }

  /**
   * Goes on for a while, so that callers and load balancers notice that this server will stop:
   * {@code /readyz} reports it, and each answer ends its connection.
   */
  public void drain() {
    readiness.stop();
    if (drain.isZero()) {
      return;
    }
    server.drain();
    try {
      Thread.sleep(drain);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops accepting, waits a few seconds for running requests, then closes what is left. */
  @Override
  public void close() {
    readiness.stop();
    server.stop();
    renewal.interrupt();
  }

  /** Loads a renewed certificate. */
  void renewCertificate() {
    server.renewCertificate();
  }

  private void renewOn() {
    try {
      while (true) {
        Thread.sleep(RENEW_EVERY);
        renewCertificate();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
