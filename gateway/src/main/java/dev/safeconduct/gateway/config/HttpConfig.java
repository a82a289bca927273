package dev.safeconduct.gateway.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the HTTP front, {@code http:} in the configuration file.
 *
 * @param host the address to listen at
 * @param port 0 selects any free port
 * @param publicUrl how clients reach the gateway; null if that is where it listens
 * @param allowedHosts names in Host headers besides those of the loopback interface
 * @param allowedOrigins pages that may call
 * @param anonymous whether requests without a token are decided with the passport {@code agent_id}
 */
public record HttpConfig(
    String host,
    int port,
    @Nullable URI publicUrl,
    Set<String> allowedHosts,
    Set<String> allowedOrigins,
    boolean anonymous,
    List<Token> tokens,
    List<Issuer> issuers,
    Limits limits) {
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1");

  /**
   * A token that the operator handed out.
   *
   * @param sha256 its SHA-256, in hexadecimal
   * @param agentId the passport that decides
   */
  public record Token(String name, String sha256, String agentId) {}

  /**
   * An authorization server.
   *
   * @param issuer as its tokens say in {@code iss}
   * @param audience as they say in {@code aud}; null for the address of the endpoint
   * @param agents passports by {@code sub}
   * @param agentClaim the claim that names the passport of other subjects; null if none does
   */
  public record Issuer(
      String issuer,
      @Nullable String audience,
      Path jwks,
      Map<String, String> agents,
      @Nullable String agentClaim) {}

  /**
   * What clients may use.
   *
   * @param sessions of all clients
   * @param openRequests requests of one session that wait for their responses
   * @param idle how long an unused session lives
   * @param memory what all messages may take of the heap, in bytes
   */
  public record Limits(
      int sessions,
      int sessionsPerClient,
      int openRequests,
      Duration idle,
      int connections,
      long memory) {
    private static final int MIB = 1 << 20;

    static Limits read(Section section) throws ConfigException {
      var limits =
          new Limits(
              (int) section.number("sessions", 1000, 1, 100_000),
              (int) section.number("sessions_per_client", 200, 1, 100_000),
              (int) section.number("open_requests", 64, 1, 10_000),
              Duration.ofMinutes(section.number("idle_minutes", 30, 1, 10_000)),
              (int) section.number("connections", 2000, 1, 100_000),
              section.number("memory_mib", halfOfHeap(), 1, 1 << 20) * MIB);
      section.end();
      return limits;
    }

    private static long halfOfHeap() {
      return Math.max(1, Runtime.getRuntime().maxMemory() / 2 / MIB);
    }
  }

  static HttpConfig read(Section section) throws ConfigException {
    String listen = section.text("listen");
    String address = listen == null ? "127.0.0.1:8090" : listen;
    int colon = address.lastIndexOf(':');
    if (colon < 1 || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new ConfigException(section.path("listen") + " must be an address and a port.");
    }
    String host = address.substring(0, colon).replaceAll("[\\[\\]]", "");
    URI publicUrl = url(section, "public_url");
    Set<String> hosts = lowerCase(section.texts("allowed_hosts"));
    if (publicUrl != null) {
      hosts.add(publicUrl.getHost().toLowerCase(Locale.ROOT));
    }
    var config =
        new HttpConfig(
            host,
            Integer.parseInt(address.substring(colon + 1)),
            publicUrl,
            hosts,
            Set.copyOf(section.texts("allowed_origins")),
            section.flag("anonymous", false),
            tokens(section),
            issuers(section),
            Limits.read(section.section("limits")));
    section.end();
    return config.checked(section);
  }

  private static Set<String> lowerCase(List<String> names) {
    var lower = new TreeSet<String>();
    names.forEach(name -> lower.add(name.toLowerCase(Locale.ROOT)));
    return lower;
  }

  private static List<Token> tokens(Section section) throws ConfigException {
    var tokens = new ArrayList<Token>();
    for (Section token : section.sections("tokens")) {
      String sha256 = required(token, "sha256").toLowerCase(Locale.ROOT);
      if (!sha256.matches("[0-9a-f]{64}")) {
        throw new ConfigException(token.path("sha256") + " must be 64 hexadecimal digits.");
      }
      tokens.add(new Token(required(token, "name"), sha256, required(token, "agent_id")));
      token.end();
    }
    return List.copyOf(tokens);
  }

  private static List<Issuer> issuers(Section section) throws ConfigException {
    var issuers = new ArrayList<Issuer>();
    for (Section issuer : section.sections("issuers")) {
      Section agents = issuer.section("agents");
      var passports = new LinkedHashMap<String, String>();
      for (String subject : agents.names()) {
        passports.put(subject, required(agents, subject));
      }
      issuers.add(
          new Issuer(
              required(issuer, "issuer"),
              issuer.text("audience"),
              Path.of(required(issuer, "jwks")),
              passports,
              issuer.text("agent_claim")));
      issuer.end();
    }
    return List.copyOf(issuers);
  }

  private static String required(Section section, String name) throws ConfigException {
    String text = section.text(name);
    if (text == null || text.isEmpty()) {
      throw new ConfigException(section.path(name) + " is missing.");
    }
    return text;
  }

  /** Returns a URL of http or https without credentials; null if it is not there. */
  static @Nullable URI url(Section section, String name) throws ConfigException {
    String text = section.text(name);
    if (text == null) {
      return null;
    }
    try {
      URI uri = URI.create(text);
      if (Set.of("http", "https").contains(String.valueOf(uri.getScheme()))
          && uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.getRawFragment() == null) {
        return uri;
      }
    } catch (IllegalArgumentException _) {
      // Named below.
    }
    throw new ConfigException(
        section.path(name)
            + " must be a URL of http or https without user, password and fragment.");
  }

  private HttpConfig checked(Section section) throws ConfigException {
    boolean isLocal = LOOPBACK.contains(host);
    if (anonymous && !isLocal) {
      throw new ConfigException(section.path("anonymous") + " is for 127.0.0.1 only.");
    }
    if (!isLocal && allowedHosts.isEmpty()) {
      throw new ConfigException(
          section.path("allowed_hosts") + " must name the gateway's host, or set public_url.");
    }
    return this;
  }
}
