package dev.safeconduct.audit.stream;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.config.Secret;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A destination of the audit log, as the settings {@code AUDIT_STREAM_<NAME>_…} describe it.
 *
 * @param url without the protocol's prefix: {@code https://…} also for Splunk and OTLP
 * @param format of each record
 * @param fromStart whether a new destination gets the whole log; otherwise only later records
 * @param resend how long a confirmed record may still be lost when the connection breaks
 * @param shown the settings for display, without secrets
 */
public record AuditStream(
    String name,
    Protocol protocol,
    URI url,
    Format format,
    boolean fromStart,
    Options options,
    Duration resend,
    SequencedMap<String, String> shown) {
  private static final String SETTING = "AUDIT_STREAM";
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]{0,30}");

  /** A header of RFC 9110: a token, a colon and visible characters. */
  private static final Pattern HEADER =
      Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ ]*([!-~](?:[ -~]*[!-~])?)");

  private static final String FORM =
      "must be syslog+tls://host, syslog+tcp://host, https://host/path, splunk+https://host or"
          + " otlp+https://host (or the same with http), with a port if it is not the usual one,"
          + " and without user, query and fragment";

  private static final int MOST_PORT = 65_535;

  /** The size that receivers of syslog over TLS should accept at least (RFC 5425 section 4.3.1). */
  private static final int MESSAGE_BYTES = 8_192;

  /** The size that receivers of syslog over TLS must accept (RFC 5425 section 4.3.1). */
  private static final int LEAST_MESSAGE_BYTES = 2_048;

  /** How records reach the destination. */
  enum Protocol {
    /** RFC 5424 over TLS, RFC 5425. */
    SYSLOG_TLS("syslog+tls", 6514),
    /** RFC 5424 over TCP, octet counting of RFC 6587. */
    SYSLOG_TCP("syslog+tcp", 601),
    /** A POST with one record a line. */
    NDJSON("", -1),
    /** Splunk's HTTP Event Collector. */
    SPLUNK("splunk+", -1),
    /** OpenTelemetry's logs as protobuf. */
    OTLP("otlp+", -1);

    private final String prefix;
    private final int port;

    Protocol(String prefix, int port) {
      this.prefix = prefix;
      this.port = port;
    }

    boolean isSyslog() {
      return this == SYSLOG_TLS || this == SYSLOG_TCP;
    }
  }

  /** The form of a record. */
  enum Format {
    /** As {@code GET /api/audit/{record_id}} returns it. */
    JSON,
    /** An event of the Open Cybersecurity Schema Framework. */
    OCSF
  }

  /**
   * How a destination is spoken to.
   *
   * @param headers of HTTP requests, by name
   * @param tls the certificates
   * @param gzip whether HTTP bodies are compressed
   * @param messageBytes the most of one syslog message
   */
  record Options(Map<String, Secret> headers, StreamTls tls, boolean gzip, int messageBytes) {
    Options {
      headers = Map.copyOf(headers);
    }
  }

  /** Reads AUDIT_STREAM and the settings of each destination; records faults in {@code env}. */
  public static List<AuditStream> from(Env env) {
    var streams = new ArrayList<AuditStream>();
    Set<String> names = new TreeSet<>();
    for (String name : env.list(SETTING)) {
      if (!NAME.matcher(name).matches()) {
        env.fault(SETTING, "must be names of lower-case letters and digits, commas between");
      } else if (!names.add(name)) {
        env.fault(SETTING, "must not name " + name + " twice");
      } else {
        read(env, name).ifPresent(streams::add);
      }
    }
    env.refuseUnknown(SETTING + "_", "belongs to no destination that " + SETTING + " names");
    return streams;
  }

  private static Optional<AuditStream> read(Env env, String name) {
    String prefix = SETTING + "_" + name.toUpperCase(Locale.ROOT) + "_";
    var shown = new LinkedHashMap<String, String>();
    Optional<URI> given = url(env, prefix + "URL");
    Optional<Protocol> protocol = given.map(AuditStream::protocol);
    boolean syslog = protocol.map(Protocol::isSyslog).orElse(false);
    String format = choice(env, prefix + "FORMAT", "json", "ocsf");
    String from = choice(env, prefix + "FROM", "now", "start");
    Optional<Secret> token = env.secret(prefix + "TOKEN", 1);
    Optional<Secret> header = env.secret(prefix + "HEADER", 1);
    int resend = env.integer(prefix + "RESEND_SECONDS", syslog ? 30 : 0, 0, 3_600);
    boolean gzip = env.bool(prefix + "GZIP", false);
    int bytes = env.integer(prefix + "MESSAGE_BYTES", MESSAGE_BYTES, LEAST_MESSAGE_BYTES, 1 << 20);
    Optional<StreamTls> tls = tls(env, prefix);
    for (String http : List.of("TOKEN", "HEADER", "GZIP")) {
      if (syslog && env.string(prefix + http).isPresent()) {
        env.fault(prefix + http, "is for HTTP and has no meaning for syslog");
      }
    }
    if (protocol.isPresent() && !syslog && env.string(prefix + "MESSAGE_BYTES").isPresent()) {
      env.fault(prefix + "MESSAGE_BYTES", "is for syslog and has no meaning for HTTP");
    }
    if (given.isEmpty() || protocol.isEmpty() || tls.isEmpty()) {
      return Optional.empty();
    }
    // The path of a receiver's address often contains a token.
    shown.put(prefix + "URL", given.get().getScheme() + "://" + given.get().getAuthority());
    shown.put(prefix + "FORMAT", format);
    shown.put(prefix + "FROM", from);
    shown.put(prefix + "RESEND_SECONDS", Integer.toString(resend));
    shown.put(prefix + "TOKEN", token.isPresent() ? "set, not shown" : "not set");
    shown.put(prefix + "HEADER", header.isPresent() ? "set, not shown" : "not set");
    Map<String, Secret> headers =
        headers(env, prefix, protocol.get() == Protocol.SPLUNK, token, header);
    return Optional.of(
        new AuditStream(
            name,
            protocol.get(),
            address(protocol.get(), given.get()),
            format.equals("ocsf") ? Format.OCSF : Format.JSON,
            from.equals("start"),
            new Options(headers, tls.get(), gzip, bytes),
            Duration.ofSeconds(resend),
            shown));
  }

  private static Optional<URI> url(Env env, String setting) {
    Optional<String> text = env.string(setting);
    if (text.isEmpty()) {
      env.fault(setting, "is required");
      return Optional.empty();
    }
    try {
      var url = new URI(text.get());
      if (url.getScheme() != null
          && url.getHost() != null
          && url.getRawUserInfo() == null
          && url.getRawQuery() == null
          && url.getRawFragment() == null
          && url.getPort() != 0
          && url.getPort() <= MOST_PORT
          && isKnown(url)) {
        return Optional.of(url);
      }
    } catch (URISyntaxException _) {
      // Falls through: each address that is not valid gets the same message, without the text.
    }
    env.fault(setting, FORM);
    return Optional.empty();
  }

  private static boolean isKnown(URI url) {
    Protocol protocol = protocol(url);
    String scheme = url.getScheme().toLowerCase(Locale.ROOT);
    if (protocol.isSyslog()) {
      return scheme.equals(protocol.prefix) && url.getRawPath().replace("/", "").isEmpty();
    }
    String http = scheme.substring(protocol.prefix.length());
    return http.equals("http") || http.equals("https");
  }

  private static Protocol protocol(URI url) {
    String scheme = url.getScheme().toLowerCase(Locale.ROOT);
    for (Protocol each : Protocol.values()) {
      if (!each.prefix.isEmpty() && scheme.startsWith(each.prefix)) {
        return each;
      }
    }
    return Protocol.NDJSON;
  }

  private static URI address(Protocol protocol, URI given) {
    if (protocol.isSyslog()) {
      return given;
    }
    String path = given.getRawPath().replaceFirst("/+$", "");
    String wanted =
        switch (protocol) {
          case SPLUNK -> path.isEmpty() ? "/services/collector/event" : path;
          case OTLP -> path.endsWith("/v1/logs") ? path : path + "/v1/logs";
          default -> given.getRawPath().isEmpty() ? "/" : given.getRawPath();
        };
    String scheme = given.getScheme().toLowerCase(Locale.ROOT).substring(protocol.prefix.length());
    return URI.create(scheme + "://" + given.getRawAuthority() + wanted);
  }

  /** Returns the port to connect to for syslog. */
  int port() {
    return url.getPort() < 0 ? protocol.port : url.getPort();
  }

  private static String choice(Env env, String setting, String first, String second) {
    String value = env.string(setting, first);
    if (!value.equals(first) && !value.equals(second)) {
      env.fault(setting, "must be " + first + " or " + second);
      return first;
    }
    return value;
  }

  private static Optional<StreamTls> tls(Env env, String prefix) {
    Optional<Path> authorities = env.string(prefix + "CA").map(Path::of);
    Optional<Path> certificate = env.string(prefix + "CERT").map(Path::of);
    Optional<Path> key = env.string(prefix + "KEY").map(Path::of);
    if (certificate.isPresent() != key.isPresent()) {
      env.fault(prefix + "CERT", "and " + prefix + "KEY must both be set, or neither");
      return Optional.empty();
    }
    var tls = new StreamTls(authorities, certificate, key);
    try {
      tls.context();
      return Optional.of(tls);
    } catch (IOException | GeneralSecurityException e) {
      env.fault(
          prefix + (certificate.isPresent() ? "CA, CERT or KEY" : "CA"),
          "cannot be used: " + FileFault.shown(e));
      return Optional.empty();
    }
  }

  private static Map<String, Secret> headers(
      Env env, String prefix, boolean splunk, Optional<Secret> token, Optional<Secret> header) {
    var headers = new LinkedHashMap<String, Secret>();
    token.ifPresent(secret ->
        headers.put(
            "Authorization", new Secret((splunk ? "Splunk " : "Bearer ") + secret.reveal())));
    header.ifPresent(secret -> {
      var pair = HEADER.matcher(secret.reveal());
      if (!pair.matches()) {
        env.fault(prefix + "HEADER", "must be a header: a name, a colon and a value");
      } else if (!maySet(pair.group(1))) {
        env.fault(prefix + "HEADER", "must not be a header that the connection needs, as Host");
      } else if (token.isPresent() && pair.group(1).equalsIgnoreCase("Authorization")) {
        env.fault(prefix + "HEADER", "must not be Authorization beside " + prefix + "TOKEN");
      } else {
        headers.put(pair.group(1), new Secret(pair.group(2)));
      }
    });
    if (token.isPresent() && !HEADER.matcher("a:" + token.get().reveal()).matches()) {
      env.fault(prefix + "TOKEN", "must be visible ASCII characters");
    }
    return headers;
  }

  /** The client refuses most that it sets itself, for example Host and Content-Length. */
  private static boolean maySet(String header) {
    try {
      HttpRequest.newBuilder().header(header, "");
      return !header.equalsIgnoreCase("Transfer-Encoding");
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
