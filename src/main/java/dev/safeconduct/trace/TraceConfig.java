package dev.safeconduct.trace;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where traces go. The variables are OpenTelemetry's own (OpenTelemetry specification, "Environment
 * Variable Specification" and "OpenTelemetry Protocol Exporter").
 *
 * @param collector the collector's OTLP/HTTP address, to which {@code /v1/traces} is added; nothing
 *     is traced without one
 * @param headers sent with every export: what the collector knows us by
 * @param serviceName {@code service.name} of every span
 * @param share of the traces that begin here which are kept, 0 to 1; a caller's own decision about
 *     its trace goes before
 */
public record TraceConfig(
    Optional<URI> collector, Map<String, Secret> headers, String serviceName, double share) {
  /** The one protocol of OTLP that is spoken here. */
  public static final String PROTOCOL_SPOKEN = "http/protobuf";

  private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
  private static final String PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL";
  private static final String SHARE = "OTEL_TRACES_SAMPLER_ARG";

  /** RFC 9110 section 5.6.2. */
  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  public TraceConfig {
    headers = Map.copyOf(headers);
  }

  /** Reads OTEL_EXPORTER_OTLP_ENDPOINT, … ; faults are noted in {@code env}. */
  public static TraceConfig from(Env env) {
    if (!env.string(PROTOCOL, PROTOCOL_SPOKEN).equals(PROTOCOL_SPOKEN)) {
      env.fault(PROTOCOL, "must be " + PROTOCOL_SPOKEN + ", the only one that is spoken here");
    }
    return new TraceConfig(
        env.webAddress("OTEL_EXPORTER_OTLP_ENDPOINT"),
        headers(env),
        env.string("OTEL_SERVICE_NAME", "safeconduct"),
        share(env));
  }

  /** Pairs {@code name=value} with commas between; values are percent-encoded (W3C Baggage). */
  private static Map<String, Secret> headers(Env env) {
    var headers = new LinkedHashMap<String, Secret>();
    for (String pair : env.list(HEADERS)) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? "" : pair.substring(0, equals).strip();
      Optional<String> value = decoded(pair.substring(equals + 1).strip());
      if (TOKEN.matcher(name).matches() && value.isPresent()) {
        headers.put(name, new Secret(value.get()));
      } else {
        // Without what it holds: that may be a secret.
        env.fault(HEADERS, "must be pairs name=value with commas between, values percent-encoded");
      }
    }
    return headers;
  }

  private static Optional<String> decoded(String text) {
    try {
      String value = URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
      boolean printable = value.chars().allMatch(c -> c >= ' ' && c <= '~');
      return printable && !value.isEmpty() ? Optional.of(value) : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static double share(Env env) {
    String text = env.string(SHARE, "1");
    if (text.matches("0?\\.[0-9]{1,9}|[01](?:\\.0{1,9})?")) {
      return Double.parseDouble(text);
    }
    env.fault(SHARE, "must be a number from 0 to 1");
    return 1;
  }
}
