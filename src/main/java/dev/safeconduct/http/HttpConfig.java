package dev.safeconduct.http;

import dev.safeconduct.config.AddressRange;
import dev.safeconduct.config.Env;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How the server is reached and what it lets in.
 *
 * @param port 0 takes any free one
 * @param baseUrl the public address, never taken from a request; no slash at its end
 * @param issueUrl the public address of issuing and claiming
 * @param trustedProxies peers whose {@code X-Forwarded-For} is believed
 * @param corsAllowedOrigins origins whose pages may call more than the public reads
 * @param maxLargeBodiesBytes what bodies over 1 MiB may take together
 * @param anonymousVerify whether verify routes answer without a credential
 * @param tls certificate chain and private key in PEM, or plain HTTP
 */
public record HttpConfig(
    String bind,
    int port,
    URI baseUrl,
    URI issueUrl,
    List<AddressRange> trustedProxies,
    Set<String> corsAllowedOrigins,
    long maxLargeBodiesBytes,
    boolean anonymousVerify,
    Optional<Tls> tls) {
  private static final long DEFAULT_LARGE_BODIES = 128L << 20;

  /** PEM files: the certificate chain, leaf first, and its private key (PKCS #8). */
  public record Tls(Path certificate, Path privateKey) {}

  public HttpConfig {
    trustedProxies = List.copyOf(trustedProxies);
    corsAllowedOrigins = Set.copyOf(corsAllowedOrigins);
  }

  /** Reads BIND, PORT, BASE_URL, … ; faults are noted in {@code env}. */
  public static HttpConfig from(Env env) {
    String bind = env.string("BIND", "127.0.0.1");
    int port = env.integer("PORT", 8080, 0, 65535);
    Optional<Tls> tls = tls(env);
    String host = bind.indexOf(':') >= 0 ? "[" + bind + "]" : bind;
    String scheme = tls.isPresent() ? "https://" : "http://";
    URI baseUrl =
        env.webAddress("BASE_URL").orElseGet(() -> URI.create(scheme + host + ":" + port));
    return new HttpConfig(
        bind,
        port,
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
        tls);
  }

  /**
   * The environment with a free port in place of {@code PORT=0}: links hold the port where no
   * {@code BASE_URL} is set, and are made before it is bound.
   *
   * @throws java.io.UncheckedIOException when there is none
   */
  public static Env withPort(Env env) {
    boolean any = env.string("PORT").filter(port -> port.matches("0+")).isPresent();
    return any
        ? env.with(
            "PORT", Integer.toString(HttpServer.freePort(env.string("BIND", "127.0.0.1"), 0)))
        : env;
  }

  /** Whether only this machine can reach the server. */
  public boolean isLoopbackOnly() {
    try {
      return InetAddress.getByName(bind).isLoopbackAddress();
    } catch (UnknownHostException _) {
      return false; // said when the address is bound
    }
  }

  private static Optional<Tls> tls(Env env) {
    Optional<String> certificate = env.string("TLS_CERT");
    Optional<String> key = env.string("TLS_KEY");
    if (certificate.isPresent() != key.isPresent()) {
      env.fault(certificate.isPresent() ? "TLS_KEY" : "TLS_CERT", "must be set as well");
    }
    return certificate.flatMap(c -> key.map(k -> new Tls(Path.of(c), Path.of(k))));
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
