package dev.safeconduct.http;

import dev.safeconduct.http.Metrics.RouteMeters;
import dev.safeconduct.trace.Traces;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The running HTTP server. */
public final class HttpServer implements AutoCloseable {
  private static final int MAX_HEADERS = 32 << 10;
  static final int MAX_REQUEST_LINE = 8 << 10;
  private static final int BACKLOG = 4096;
  private static final Duration DRAIN = Duration.ofSeconds(10);
  private static final Duration IDLE = Duration.ofMinutes(5);

  private final WebServer server;
  private final Readiness readiness;
  private final List<Route> routes;
  private final GuardedConnections connections;
  private final Http2Connections multiplexed;
  private final Optional<Certificate> certificate;
  private final Thread sweeper;

  private HttpServer(
      WebServer server,
      Readiness readiness,
      List<Route> routes,
      GuardedConnections connections,
      Http2Connections multiplexed,
      Optional<Certificate> certificate) {
    this.multiplexed = multiplexed;
    this.certificate = certificate;
    this.server = server;
    this.readiness = readiness;
    this.routes = routes;
    this.connections = connections;
    this.sweeper = Thread.ofVirtual().name("connection-sweep").start(this::sweepOn);
  }

  /**
   * Binds and serves at once, but is not ready: {@code /readyz} says no until {@link #ready}.
   *
   * @param routes all but the health routes, which are added here
   * @throws IllegalArgumentException for two routes of the same method and path
   * @throws UncheckedIOException when the address cannot be bound
   */
  public static HttpServer start(
      HttpConfig config,
      List<Route> routes,
      Authenticator authenticator,
      Throttle throttle,
      Metrics metrics,
      List<HealthPart> parts,
      Traces traces,
      InstantSource clock) {
    var readiness = new Readiness();
    var all = new ArrayList<>(routes);
    all.addAll(new HealthRoutes(readiness, parts, metrics).all());
    var random = new SecureRandom();
    var ids = new RequestIds(random.nextLong(), random.nextLong());
    var problems = new ProblemResponses(clock, config.baseUrl().toString());
    var table = new RouteTable(all);
    Dispatcher dispatcher =
        new Dispatcher(
            table,
            new Gate(authenticator, config.anonymousVerify()),
            throttle,
            new Cookies(
                authenticator,
                new HashSet<>(
                    List.of(Site.origin(config.baseUrl()), Site.origin(config.issueUrl())))),
            new BodyReader(new LargeBodies(config.maxLargeBodiesBytes())),
            new Cors(config.corsAllowedOrigins()),
            new ClientAddress(config.trustedProxies()),
            problems,
            ids,
            readiness,
            meters(all, metrics),
            metrics.route("ANY", "unrouted"),
            metrics.stages(),
            traces,
            clock);
    var connections = new GuardedConnections(http1());
    Optional<Certificate> certificate = config.tls().map(Certificate::new);
    var direct = new DirectAnswers(problems, ids, table);
    var multiplexed = new Http2Connections(dispatcher::handle, direct);
    WebServer server =
        build(config, dispatcher, connections, multiplexed, direct, certificate).start();
    if (!server.isRunning()) {
      // The library only logs why; the reason is most likely still there.
      check(config);
      throw new IllegalStateException("The server did not start; the log tells why.");
    }
    return new HttpServer(
        server, readiness, List.copyOf(all), connections, multiplexed, certificate);
  }

  /**
   * Tries the address and the certificate, so that a start which cannot serve ends before it has
   * made anything.
   *
   * @throws UncheckedIOException when the address cannot be bound
   * @throws RuntimeException when the certificate and its key cannot be used
   */
  public static void check(HttpConfig config) {
    config.tls().map(Certificate::new).ifPresent(Certificate::read);
    freePort(config.bind(), config.port());
  }

  /**
   * A port that nobody listens on: {@code port} itself, or any where it is 0.
   *
   * @throws UncheckedIOException when there is none
   */
  public static int freePort(String bind, int port) {
    try (var socket = new ServerSocket()) {
      socket.setReuseAddress(true); // as the server does
      socket.bind(new InetSocketAddress(bind, port));
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "BIND " + bind + " and PORT " + port + " cannot be listened on: " + e.getMessage(), e);
    }
  }

  /** The port that was bound, also when 0 was asked for. */
  public int port() {
    return server.port();
  }

  /** Every route served, the health routes included. */
  public List<Route> routes() {
    return routes;
  }

  /** Says whether the server wants traffic; call with true when the warm-up is done. */
  public void ready(boolean ready) {
    readiness.ready(ready);
  }

  /** Stops accepting, lets running requests finish for up to 10 s, then closes what is left. */
  @Override
  public void close() {
    readiness.stop();
    server.stop();
    sweeper.interrupt();
  }

  private static Map<Route, RouteMeters> meters(List<Route> routes, Metrics metrics) {
    var meters = new HashMap<Route, RouteMeters>();
    for (Route route : routes) {
      meters.put(route, metrics.route(route.method(), route.path()));
    }
    return meters;
  }

  private static WebServer build(
      HttpConfig config,
      Dispatcher dispatcher,
      GuardedConnections connections,
      Http2Connections multiplexed,
      DirectAnswers direct,
      Optional<Certificate> certificate) {
    var builder =
        WebServer.builder()
            .host(config.bind())
            .port(config.port())
            .backlog(BACKLOG)
            .connectionOptions(options -> options.tcpNoDelay(true).socketReuseAddress(true))
            .idleConnectionTimeout(IDLE)
            .shutdownGracePeriod(DRAIN)
            .shutdownHook(false)
            .featuresDiscoverServices(false)
            .protocolsDiscoverServices(false)
            .contentEncoding(
                ContentEncodingContext.builder().contentEncodingsDiscoverServices(false).build())
            .directHandlers(direct.handlers())
            .routing(
                routing -> routing.any((in, out) -> dispatcher.handle(new Http1Call(in, out))));
    if (certificate.isEmpty()) {
      return builder.addConnectionSelector(connections).build();
    }
    return builder
        .tls(certificate.get().read())
        .addConnectionSelector(new TlsConnections(connections, multiplexed))
        .build();
  }

  private static Http1ConnectionSelector http1() {
    return Http1ConnectionSelector.builder()
        .config(
            Http1Config.builder()
                .maxHeadersSize(MAX_HEADERS)
                .maxPrologueLength(MAX_REQUEST_LINE)
                .validatePrologue(false)
                .validatePath(false)
                .validateResponseHeaders(false) // Response.header has, and the rest is our own
                .continueImmediately(false)
                .log(log -> log.receiveLog(false).sendLog(false))
                .build())
        .build();
  }

  /**
   * Ends connections that stopped in the middle of a request, and shows a certificate that was
   * renewed; run every few seconds.
   */
  void sweep() {
    connections.sweep();
    multiplexed.sweep();
    certificate.flatMap(Certificate::renewed).ifPresent(server::reloadTls);
  }

  private void sweepOn() {
    try {
      while (true) {
        Thread.sleep(GuardedConnections.SWEEP_EVERY);
        sweep();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
