package dev.safeconduct.http;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.safeconduct.config.Env;
import dev.safeconduct.http.server.ListenerConfig;
import dev.safeconduct.http.server.PemFiles;
import dev.safeconduct.http.server.Timeouts;
import dev.safeconduct.net.AddressRange;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of the HTTP server.
 *
 * @param server the address where it listens
 * @param baseUrl the public address, never taken from a request; no slash at its end
 * @param issueUrl the public address of issuing and claiming
 * @param trustedProxies peers whose {@code X-Forwarded-For} is trusted
 * @param corsAllowedOrigins origins whose pages may call more than the public reads
 * @param maxLargeBodiesBytes the memory for all bodies over 1 MiB together
 * @param anonymousVerify whether verify routes answer without a credential
 * @param drain how long the server goes on after a stop signal, not ready
 */
public record HttpConfig(
    ListenerConfig server,
    URI baseUrl,
    URI issueUrl,
    List<AddressRange> trustedProxies,
    Set<String> corsAllowedOrigins,
    long maxLargeBodiesBytes,
    boolean anonymousVerify,
    Duration drain) {
  private static final long DEFAULT_LARGE_BODIES = 128L << 20;

  /** Enough for any proxy; more idle connections would take memory from active ones. */
  private static final int MOST_CONNECTIONS = 10_000;

  public HttpConfig {
    trustedProxies = List.copyOf(trustedProxies);
    corsAllowedOrigins = Set.copyOf(corsAllowedOrigins);
  }

  /** Returns the same settings with other timeouts, which operators cannot configure. */
  HttpConfig with(Timeouts timeouts) {
    return new HttpConfig(
        new ListenerConfig(
            server.bind(), server.port(), server.tls(), server.maxConnections(), timeouts),
        baseUrl,
        issueUrl,
        trustedProxies,
        corsAllowedOrigins,
        maxLargeBodiesBytes,
        anonymousVerify,
        drain);
  }

  /** Returns the address where the server listens. */
  public URI listenAddress() {
    return address(server);
  }

  private static URI address(ListenerConfig server) {
    String bind = server.bind();
    String host = bind.indexOf(':') >= 0 ? "[" + bind + "]" : bind;
    return URI.create(
        (server.tls().isPresent() ? "https://" : "http://") + host + ":" + server.port());
  }

  /** Reads BIND, PORT, BASE_URL, … ; faults are recorded in {@code env}. */
  public static HttpConfig from(Env env) {
    String bind = env.string("BIND", "127.0.0.1");
    int port = env.integer("PORT", 8080, 0, 65535);
    Optional<PemFiles> tls = tls(env);
    var server = new ListenerConfig(bind, port, tls, maxConnections(env), Timeouts.DEFAULT);
    URI baseUrl = env.webAddress("BASE_URL").orElseGet(() -> address(server));
    return new HttpConfig(
        server,
        baseUrl,
        env.webAddress("ISSUE_URL").orElse(baseUrl),
        trustedProxies(env),
        origins(env),
        env.bytes(
            "MAX_LARGE_BODIES_BYTES",
            DEFAULT_LARGE_BODIES,
            BodyRule.LARGE.maxBytes(),
            Long.MAX_VALUE / 2),
        env.bool("ANONYMOUS_VERIFY", false),
        Duration.ofSeconds(env.integer("DRAIN_SECONDS", 5, 0, 300)));
  }

  /**
   * Returns the environment with a free port in place of {@code PORT=0}. Links contain the port
   * when no {@code BASE_URL} is set, and are made before the port is bound.
   *
   * @throws java.io.UncheckedIOException when there is no free port
   */
  public static Env withPort(Env env) {
    boolean any = env.string("PORT").filter(port -> port.matches("0+")).isPresent();
    return any
        ? env.with(
            "PORT", Integer.toString(HttpServer.freePort(env.string("BIND", "127.0.0.1"), 0)))
        : env;
  }

  /** Returns whether only this machine can reach the server. */
  public boolean isLoopbackOnly() {
    try {
      return InetAddress.getByName(server.bind()).isLoopbackAddress();
    } catch (UnknownHostException _) {
      return false; // reported when the address is bound
    }
  }

  private static Optional<PemFiles> tls(Env env) {
    Optional<String> certificate = env.string("TLS_CERT");
    Optional<String> key = env.string("TLS_KEY");
    if (certificate.isPresent() != key.isPresent()) {
      env.fault(certificate.isPresent() ? "TLS_KEY" : "TLS_CERT", "must be set as well");
    }
    return certificate.flatMap(c -> key.map(k -> new PemFiles(Path.of(c), Path.of(k))));
  }

  /** Reserves a quarter of the process's file descriptors for files and outgoing calls. */
  private static int maxConnections(Env env) {
    long descriptors =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : MOST_CONNECTIONS;
    int most = Math.clamp(descriptors, 1, Integer.MAX_VALUE);
    return env.integer(
        "MAX_CONNECTIONS", Math.clamp(most - most / 4, 1, MOST_CONNECTIONS), 1, most);
  }

  private static List<AddressRange> trustedProxies(Env env) {
    var ranges = new ArrayList<AddressRange>();
    for (String text : env.list("TRUSTED_PROXIES")) {
      AddressRange.parse(text)
          .ifPresentOrElse(
              ranges::add,
              () ->
                  env.fault(
                      "TRUSTED_PROXIES",
                      "has \"" + text + "\", which is no IP address or CIDR range"));
    }
    return ranges;
  }

  private static Set<String> origins(Env env) {
    var origins = new LinkedHashSet<String>();
    for (String text : env.list("CORS_ALLOWED_ORIGINS")) {
      if (isOrigin(text)) {
        origins.add(text);
      } else {
        env.fault(
            "CORS_ALLOWED_ORIGINS",
            "has \"" + text + "\"; an origin is scheme://host or scheme://host:port");
      }
    }
    return origins;
  }

  private static boolean isOrigin(String text) {
    try {
      URI uri = URI.create(text);
      String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
      return uri.getHost() != null
          && text.equals(uri.getScheme() + "://" + uri.getHost() + port)
          && !text.equals("null");
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
