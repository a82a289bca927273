package dev.safeconduct.http.server;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running server: HTTP/1.1, or over TLS HTTP/1.1 and HTTP/2. */
public final class WebServer {
  private static final Logger LOG = LoggerFactory.getLogger(WebServer.class);

  static final int MAX_HEADERS = 32 << 10;
  private static final int THREADS = 16;
  private static final Duration CLOSE_EVERY = Duration.ofMillis(300);

  /** The part of a body that an HTTP/2 client may send before it is read, in bytes. */
  private static final int STREAM_WINDOW = 256 << 10;

  /** Requests in absolute form name their host twice; RFC 9112 section 3.2.2 uses the first. */
  private static final HttpCompliance COMPLIANCE =
      HttpCompliance.STRICT.with("SERVER", HttpCompliance.Violation.MISMATCHED_AUTHORITY);

  private final Server server;
  private final ClientConnector connector;
  private final int port;
  private final Optional<Certificate> certificate;

  private WebServer(Server server, ClientConnector connector, Optional<Certificate> certificate) {
    this.server = server;
    this.connector = connector;
    this.port = connector.getLocalPort();
    this.certificate = certificate;
  }

  /**
   * Starts the server, which serves at once.
   *
   * @param onDeaf called when no connection can be accepted any more
   * @throws IOException when it cannot listen at the address
   * @throws IllegalArgumentException when the certificate and its key cannot be used
   */
  public static WebServer start(ListenerConfig config, CallHandler handler, Runnable onDeaf)
      throws IOException {
    // Jetty would start all of JMX to compute it, which takes a twentieth of the start.
    System.setProperty("org.eclipse.jetty.util.referencesPerCacheLine", "16");
    var threads = new QueuedThreadPool(THREADS, 4);
    threads.setName("http");
    threads.setReservedThreads(0);
    threads.setDaemon(true);
    var server =
        new Server(
            threads, new ScheduledExecutorScheduler("http-timer", true), new ArrayByteBufferPool());
    server.setStopTimeout(config.timeouts().drain().toMillis());
    server.setHandler(new RequestHandler(handler));
    server.setErrorHandler(new RefusalHandler(handler));
    Optional<Certificate> certificate = config.tls().map(Certificate::new);
    var connector = new ClientConnector(server, config, onDeaf, protocols(config, certificate));
    server.addConnector(connector);
    server.addBean(new RefuseBeyond(config.maxConnections(), connector));
    try {
      server.start();
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("The HTTP server does not start: " + e.getMessage(), e);
    }
    return new WebServer(server, connector, certificate);
  }

  /**
   * Reads the certificate and its key.
   *
   * @throws IllegalArgumentException when they cannot be used
   */
  public static void check(PemFiles files) {
    Certificate.read(files);
  }

  private static ConnectionFactory[] protocols(
      ListenerConfig config, Optional<Certificate> certificate) {
    HttpConnectionFactory http1 = Http1Connection.factory(http());
    if (certificate.isEmpty()) {
      return new ConnectionFactory[] {http1};
    }
    var alpn = new ALPNServerConnectionFactory();
    alpn.setDefaultProtocol(http1.getProtocol());
    var tls = new SslConnectionFactory(certificate.get().context(), alpn.getProtocol());
    // It would refuse hosts that the certificate does not name: a proxy may use any name.
    tls.setEnsureSecureRequestCustomizer(false);
    return new ConnectionFactory[] {tls, alpn, http2(config.timeouts()), http1};
  }

  private static HttpConfiguration http() {
    var http = new HttpConfiguration();
    http.setHttpCompliance(COMPLIANCE);
    http.setUriCompliance(UriCompliance.UNSAFE); // The route table validates paths.
    http.setRequestHeaderSize(MAX_HEADERS);
    // AuthZEN echoes the caller's X-Request-Id, however long it is.
    http.setMaxResponseHeaderSize(2 * MAX_HEADERS);
    http.setHeaderCacheSize(0); // It would use 50 KiB of the heap for each connection.
    http.setSendServerVersion(false);
    return http;
  }

  private static HTTP2ServerConnectionFactory http2(Timeouts timeouts) {
    HttpConfiguration http = http();
    // Above this limit the library closes the connection; up to it only the one request is refused.
    http.setRequestHeaderSize(2 * MAX_HEADERS);
    var http2 = new HTTP2ServerConnectionFactory(http);
    http2.setConnectProtocolEnabled(false);
    http2.setMaxEncoderTableCapacity(0); // Callers share no compression table.
    http2.setInitialStreamRecvWindow(STREAM_WINDOW);
    // Twice as long as over HTTP/1.1: a stream also counts as silent while its request is being
    // processed.
    http2.setStreamIdleTimeout(2 * timeouts.stall().toMillis());
    return http2;
  }

  /** Returns the bound port, also when 0 was requested. */
  public int port() {
    return port;
  }

  /** Returns when the certificate in use expires; empty without TLS. */
  public Optional<Instant> certificateExpiry() {
    return certificate.map(Certificate::expiry);
  }

  /** Returns the number of open connections. */
  public int connections() {
    return connector.getConnectedEndPoints().size();
  }

  /** Loads a renewed certificate; called every few seconds. */
  public void renewCertificate() {
    certificate.ifPresent(Certificate::renew);
  }

  /** Ends each HTTP/1.1 connection with its next answer; connections are still accepted. */
  public void drain() {
    connector.drain();
  }

  /** Stops listening, waits a while for running requests, then closes what is left. */
  public void stop() {
    var _ = connector.shutdown();
    connector.closeUnused(false);
    Thread closing = Thread.ofVirtual().start(this::closeUnused);
    try {
      server.stop();
    } catch (Exception e) {
      LOG.warn("Not every request was answered when the server stopped: {}", e.toString());
    }
    closing.interrupt();
  }

  /** Closes connections that have no running request; clients need not close them. */
  private void closeUnused() {
    try {
      while (true) {
        Thread.sleep(CLOSE_EVERY);
        connector.closeUnused(true);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Closes connections beyond the limit at once; the existing ones are in use. */
  private static final class RefuseBeyond extends NetworkConnectionLimit {
    private static final long LOG_EVERY_NANOS = 60_000_000_000L;

    private final int limit;
    private long logged = System.nanoTime() - LOG_EVERY_NANOS;

    private RefuseBeyond(int limit, ClientConnector connector) {
      super(limit, connector);
      this.limit = limit;
    }

    @Override
    protected void limit() {
      if (System.nanoTime() - logged >= LOG_EVERY_NANOS) {
        logged = System.nanoTime();
        LOG.warn("There are {} connections; further ones are refused (MAX_CONNECTIONS).", limit);
      }
    }

    @Override
    protected void unlimit() {
      // Nothing needs to be undone.
    }
  }
}
