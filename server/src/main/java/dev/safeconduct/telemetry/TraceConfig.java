package dev.safeconduct.telemetry;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.regex.Pattern;

/**
 * The supported OpenTelemetry settings, by OpenTelemetry's own names (OpenTelemetry specification,
 * "Environment Variable Specification", "OpenTelemetry Protocol Exporter" and "Resource SDK"). The
 * SDK reads the values; this class only determines whether there is a collector.
 *
 * @param collector the collector's OTLP/HTTP address, to which {@code /v1/traces} is added; without
 *     one, tracing is off
 * @param settings the effective settings by variable name, including the headers that authenticate
 *     this service to the collector
 */
public record TraceConfig(Optional<URI> collector, Map<String, Secret> settings) {
  /** The only supported OTLP protocol. */
  private static final String PROTOCOL_SPOKEN = "http/protobuf";

  private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
  private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
  private static final String PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL";
  private static final String SERVICE_NAME = "OTEL_SERVICE_NAME";
  private static final String ATTRIBUTES = "OTEL_RESOURCE_ATTRIBUTES";

  /** All supported settings with their defaults; empty for no default. */
  private static final List<Setting> KNOWN =
      List.of(
          new Setting(ENDPOINT, ""),
          new Setting(HEADERS, ""),
          new Setting(PROTOCOL, PROTOCOL_SPOKEN),
          new Setting(SERVICE_NAME, "safeconduct"),
          new Setting(ATTRIBUTES, ""),
          // Set explicitly, so that the argument alone sets the ratio.
          new Setting("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
          new Setting("OTEL_TRACES_SAMPLER_ARG", "1"));

  private record Setting(String name, String byDefault) {}

  /**
   * Matches {@code name=value}: a token (RFC 9110 section 5.6.2), and a value that is visible ASCII
   * after percent-decoding (W3C Baggage).
   */
  private static final Pattern HEADER =
      Pattern.compile(
          "[!#$%&'*+.^_`|~0-9A-Za-z-]+\\s*=\\s*(?:[ -$&-~]|%[2-6][0-9A-Fa-f]|%7[0-9A-Ea-e])+");

  public TraceConfig {
    settings = Map.copyOf(settings);
  }

  /** Reads OTEL_EXPORTER_OTLP_ENDPOINT, … ; faults are recorded in {@code env}. */
  public static TraceConfig from(Env env) {
    var settings = new LinkedHashMap<String, Secret>();
    boolean isNamed =
        env.list(ATTRIBUTES).stream().anyMatch(each -> each.startsWith("service.name="));
    for (Setting each : KNOWN) {
      boolean hasOther = each.name().equals(SERVICE_NAME) && isNamed;
      String value = env.string(each.name(), hasOther ? "" : each.byDefault());
      if (!value.isEmpty()) {
        settings.put(each.name(), new Secret(value));
      }
    }
    boolean fits = env.string(PROTOCOL, PROTOCOL_SPOKEN).equals(PROTOCOL_SPOKEN);
    if (!fits) {
      env.fault(PROTOCOL, "must be " + PROTOCOL_SPOKEN + ", the only one that is spoken here");
    }
    // The SDK's message would contain the invalid value, which may be a secret.
    if (!env.list(HEADERS).stream().allMatch(pair -> HEADER.matcher(pair).matches())) {
      fits = false;
      env.fault(HEADERS, "must be pairs name=value with commas between, values percent-encoded");
    }
    var config = new TraceConfig(env.webAddress(ENDPOINT), settings);
    if (config.collector().isPresent() && fits) {
      TraceSdk.fault(config)
          .ifPresent(why -> env.fault("A setting of OpenTelemetry", "is wrong: " + why));
    }
    return config;
  }

  /** Returns the effective settings for display; for headers only whether there are any. */
  public SequencedMap<String, String> shown() {
    var shown = new LinkedHashMap<String, String>();
    for (Setting each : KNOWN) {
      Secret given = settings.get(each.name());
      String value = given == null ? "not set" : given.reveal();
      shown.put(
          each.name(), given != null && each.name().equals(HEADERS) ? "set, not shown" : value);
    }
    return shown;
  }
}
