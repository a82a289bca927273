package dev.safeconduct.telemetry;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The supported OpenTelemetry settings, by OpenTelemetry's own names (OpenTelemetry specification,
 * "Environment Variable Specification", "OpenTelemetry Protocol Exporter" and "Resource SDK"). The
 * SDK reads the values; this class only determines what has a collector.
 *
 * @param exported the signals that are sent to a collector
 * @param settings the effective settings by variable name, including the headers that authenticate
 *     this service to the collector
 */
public record OtlpConfig(Set<Signal> exported, Map<String, Secret> settings) {
  /** What OpenTelemetry exports. */
  public enum Signal {
    TRACES,
    METRICS,
    LOGS;

    /** Returns the name in settings and as a metric label. */
    public String wire() {
      return name().toLowerCase(Locale.ROOT);
    }

    private String exporter() {
      return "OTEL_" + name() + "_EXPORTER";
    }

    /** Returns the name of this signal's own variant of a general setting. */
    private String own(String general) {
      return general.replace("_OTLP_", "_OTLP_" + name() + "_");
    }
  }

  private static final String NO_EXPORTER = "none";
  private static final String OTLP = "otlp";

  /** The only supported OTLP protocol. */
  private static final String PROTOCOL_SPOKEN = "http/protobuf";

  private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
  private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
  private static final String PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL";
  private static final String SERVICE_NAME = "OTEL_SERVICE_NAME";
  private static final String ATTRIBUTES = "OTEL_RESOURCE_ATTRIBUTES";

  /** In milliseconds. */
  private static final String INTERVAL = "OTEL_METRIC_EXPORT_INTERVAL";

  private static final int MINUTE_MS = 60_000;
  private static final int SHORTEST_MS = 100;
  private static final int LONGEST_MS = 60 * MINUTE_MS;

  /** All supported settings with their defaults; empty for no default. */
  private static final List<Setting> KNOWN = known();

  private record Setting(String name, String byDefault) {}

  /**
   * Matches {@code name=value}: a token (RFC 9110 section 5.6.2), and a value that is visible ASCII
   * after percent-decoding (W3C Baggage).
   */
  private static final Pattern HEADER =
      Pattern.compile(
          "[!#$%&'*+.^_`|~0-9A-Za-z-]+\\s*=\\s*(?:[ -$&-~]|%[2-6][0-9A-Fa-f]|%7[0-9A-Ea-e])+");

  public OtlpConfig {
    exported = Set.copyOf(exported);
    settings = Map.copyOf(settings);
  }

  private static List<Setting> known() {
    var known = new ArrayList<Setting>();
    for (String each : List.of(ENDPOINT, HEADERS, PROTOCOL)) {
      known.add(new Setting(each, each.equals(PROTOCOL) ? PROTOCOL_SPOKEN : ""));
      for (Signal signal : Signal.values()) {
        known.add(new Setting(signal.own(each), ""));
      }
    }
    for (Signal signal : Signal.values()) {
      known.add(new Setting(signal.exporter(), OTLP));
    }
    known.add(new Setting(INTERVAL, Integer.toString(MINUTE_MS)));
    known.add(new Setting(SERVICE_NAME, "safeconduct"));
    known.add(new Setting(ATTRIBUTES, ""));
    // Set explicitly, so that the argument alone sets the ratio.
    known.add(new Setting("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"));
    known.add(new Setting("OTEL_TRACES_SAMPLER_ARG", "1"));
    return List.copyOf(known);
  }

  /** Reads OTEL_EXPORTER_OTLP_ENDPOINT, … ; faults are recorded in {@code env}. */
  public static OtlpConfig from(Env env) {
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
    boolean fits = transportFits(env, ENDPOINT, HEADERS, PROTOCOL);
    // The SDK's message would not name the setting.
    fits &=
        env.integer(INTERVAL, 0, SHORTEST_MS, LONGEST_MS) != 0 || env.string(INTERVAL).isEmpty();
    var exported = EnumSet.noneOf(Signal.class);
    for (Signal signal : Signal.values()) {
      fits &= transportFits(env, signal.own(ENDPOINT), signal.own(HEADERS), signal.own(PROTOCOL));
      if (isExported(env, signal)) {
        exported.add(signal);
      }
    }
    var config = new OtlpConfig(exported, settings);
    if (!exported.isEmpty() && fits) {
      OtlpSdk.fault(config)
          .ifPresent(why -> env.fault("A setting of OpenTelemetry", "is wrong: " + why));
    }
    return config;
  }

  private static boolean transportFits(Env env, String endpoint, String headers, String protocol) {
    boolean fits = env.webAddress(endpoint).isPresent() || env.string(endpoint).isEmpty();
    if (!env.string(protocol, PROTOCOL_SPOKEN).equals(PROTOCOL_SPOKEN)) {
      fits = false;
      env.fault(protocol, "must be " + PROTOCOL_SPOKEN + ", the only one that is spoken here");
    }
    // The SDK's message would contain the invalid value, which may be a secret.
    if (!env.list(headers).stream().allMatch(pair -> HEADER.matcher(pair).matches())) {
      fits = false;
      env.fault(headers, "must be pairs name=value with commas between, values percent-encoded");
    }
    return fits;
  }

  private static boolean isExported(Env env, Signal signal) {
    String exporter = env.string(signal.exporter(), OTLP);
    boolean hasCollector =
        env.string(ENDPOINT).isPresent() || env.string(signal.own(ENDPOINT)).isPresent();
    if (!exporter.equals(OTLP) && !exporter.equals(NO_EXPORTER)) {
      env.fault(signal.exporter(), "must be " + OTLP + " or " + NO_EXPORTER);
    }
    return exporter.equals(OTLP) && hasCollector;
  }

  /** Returns the effective settings for display; for headers only whether there are any. */
  public SequencedMap<String, String> shown() {
    var shown = new LinkedHashMap<String, String>();
    for (Setting each : KNOWN) {
      Secret given = settings.get(each.name());
      String value = given == null ? "not set" : given.reveal();
      boolean isSecret = each.name().endsWith("_HEADERS");
      shown.put(each.name(), given != null && isSecret ? "set, not shown" : value);
    }
    return shown;
  }
}
