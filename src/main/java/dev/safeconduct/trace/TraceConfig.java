package dev.safeconduct.trace;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.regex.Pattern;

/**
 * Where traces go, and which. The variables are OpenTelemetry's own (OpenTelemetry specification,
 * "Environment Variable Specification", "OpenTelemetry Protocol Exporter" and "Resource SDK").
 *
 * @param collector the collector's OTLP/HTTP address, to which {@code /v1/traces} is added; nothing
 *     is traced without one
 * @param headers sent with every export: what the collector knows us by
 * @param serviceName {@code service.name} of every span
 * @param sampling which traces are kept
 * @param share of the traces that a ratio keeps, 0 to 1
 * @param attributes further ones of the service that every span comes from, in the order they were
 *     given; {@code service.name} is not among them
 */
public record TraceConfig(
    Optional<URI> collector,
    Map<String, Secret> headers,
    String serviceName,
    Sampling sampling,
    double share,
    SequencedMap<String, String> attributes) {
  /** The one protocol of OTLP that is spoken here. */
  public static final String PROTOCOL_SPOKEN = "http/protobuf";

  private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
  private static final String PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL";
  private static final String SAMPLER = "OTEL_TRACES_SAMPLER";
  private static final String SHARE = "OTEL_TRACES_SAMPLER_ARG";
  private static final String ATTRIBUTES = "OTEL_RESOURCE_ATTRIBUTES";
  private static final String SERVICE_NAME = "service.name";

  /** RFC 9110 section 5.6.2. */
  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  public TraceConfig {
    headers = Map.copyOf(headers);
    attributes = new LinkedHashMap<>(attributes);
  }

  /** Reads OTEL_EXPORTER_OTLP_ENDPOINT, … ; faults are noted in {@code env}. */
  public static TraceConfig from(Env env) {
    if (!env.string(PROTOCOL, PROTOCOL_SPOKEN).equals(PROTOCOL_SPOKEN)) {
      env.fault(PROTOCOL, "must be " + PROTOCOL_SPOKEN + ", the only one that is spoken here");
    }
    LinkedHashMap<String, String> attributes = attributes(env);
    String named = attributes.remove(SERVICE_NAME);
    return new TraceConfig(
        env.webAddress("OTEL_EXPORTER_OTLP_ENDPOINT"),
        headers(env),
        env.string("OTEL_SERVICE_NAME", named == null ? "safeconduct" : named),
        sampling(env),
        share(env),
        attributes);
  }

  @Override
  public SequencedMap<String, String> attributes() {
    return new LinkedHashMap<>(attributes);
  }

  /** Pairs {@code name=value} with commas between; values are percent-encoded (W3C Baggage). */
  private static Map<String, Secret> headers(Env env) {
    var headers = new LinkedHashMap<String, Secret>();
    for (String pair : env.list(HEADERS)) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? "" : pair.substring(0, equals).strip();
      Optional<String> value =
          decoded(pair.substring(equals + 1)).filter(v -> v.chars().allMatch(c -> c <= '~'));
      if (TOKEN.matcher(name).matches() && value.isPresent() && !value.get().isEmpty()) {
        headers.put(name, new Secret(value.get()));
      } else {
        // Without what it holds: that may be a secret.
        env.fault(HEADERS, "must be pairs name=value with commas between, values percent-encoded");
      }
    }
    return headers;
  }

  /**
   * Pairs {@code name=value} with commas between; in names and values what is a comma or an equals
   * sign is percent-encoded, all else may be. The last of two of the same name counts.
   */
  private static LinkedHashMap<String, String> attributes(Env env) {
    var attributes = new LinkedHashMap<String, String>();
    for (String pair : env.list(ATTRIBUTES)) {
      int equals = pair.indexOf('=');
      Optional<String> name = equals < 0 ? Optional.empty() : decoded(pair.substring(0, equals));
      Optional<String> value = decoded(pair.substring(equals + 1));
      boolean isFit = name.filter(n -> !n.isBlank()).isPresent() && value.isPresent();
      if (isFit && !(name.get().equals(SERVICE_NAME) && value.get().isEmpty())) {
        attributes.put(name.get(), value.get());
      } else {
        env.fault(
            ATTRIBUTES,
            "must be pairs name=value with commas between, percent-encoded where they hold a comma,"
                + " an equals sign or a percent sign; this is none: "
                + shown(pair));
      }
    }
    return attributes;
  }

  private static String shown(String pair) {
    return pair.codePoints()
        .limit(64)
        .map(c -> Character.isISOControl(c) ? '?' : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static Optional<String> decoded(String text) {
    try {
      String value = URLDecoder.decode(text.strip().replace("+", "%2B"), StandardCharsets.UTF_8);
      boolean isText = value.codePoints().noneMatch(c -> Character.isISOControl(c) || c == 0xfffd);
      return isText ? Optional.of(value) : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static Sampling sampling(Env env) {
    String name = env.string(SAMPLER, Sampling.PARENTBASED_TRACEIDRATIO.toString());
    Optional<Sampling> known = Sampling.named(name);
    if (known.isEmpty()) {
      env.fault(SAMPLER, "must be one of " + Sampling.names());
    }
    return known.orElse(Sampling.PARENTBASED_TRACEIDRATIO);
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
