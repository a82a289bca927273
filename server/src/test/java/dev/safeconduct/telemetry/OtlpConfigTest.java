package dev.safeconduct.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names, defaults and faults of the settings of exports to a collector. */
final class OtlpConfigTest {
  private static final String COLLECTOR = "http://127.0.0.1:4318";

  private static OtlpConfig read(Map<String, String> variables) {
    var env = new Env(variables);
    OtlpConfig config = OtlpConfig.from(env);
    env.check();
    return config;
  }

  @Test
  void isOffByDefault() {
    assertThat(read(Map.of()).exported()).isEmpty();
    assertThat(read(Map.of()).shown())
        .containsEntry("OTEL_EXPORTER_OTLP_ENDPOINT", "not set")
        .containsEntry("OTEL_SERVICE_NAME", "safeconduct")
        .containsEntry("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
        .containsEntry("OTEL_METRICS_EXPORTER", "otlp")
        .containsEntry("OTEL_METRIC_EXPORT_INTERVAL", "60000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          OTEL_EXPORTER_OTLP_ENDPOINT=http://c:1                             | TRACES METRICS LOGS
          OTEL_EXPORTER_OTLP_ENDPOINT=http://c:1 OTEL_TRACES_EXPORTER=none   | METRICS LOGS
          OTEL_EXPORTER_OTLP_ENDPOINT=http://c:1 OTEL_METRICS_EXPORTER=none  | TRACES LOGS
          OTEL_EXPORTER_OTLP_ENDPOINT=http://c:1 OTEL_LOGS_EXPORTER=none     | TRACES METRICS
          OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://c:1/in                     | LOGS
          OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://c:1/v1/metrics          | METRICS
          OTEL_TRACES_EXPORTER=none                                          | ''
          """)
  void aSignalIsExportedThatHasACollectorAndIsNotTurnedOff(String given, String signals) {
    var variables = new HashMap<String, String>();
    for (String pair : given.split(" ", -1)) {
      variables.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
    }
    assertThat(read(variables).exported().stream().map(Enum::name))
        .containsExactlyInAnyOrder(signals.isEmpty() ? new String[0] : signals.split(" ", -1));
  }

  @Test
  void takesTheNamesOfOpenTelemetryAndHidesWhatMayBeSecret() {
    OtlpConfig config =
        read(
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example:4318/",
                "OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b%3D+c, x-scope=traces",
                "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                "OTEL_SERVICE_NAME", "guard",
                "OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=prod,note=a%2Cb",
                "OTEL_TRACES_SAMPLER", "traceidratio",
                "OTEL_TRACES_SAMPLER_ARG", "0.25"));
    assertThat(config.exported()).containsOnly(OtlpConfig.Signal.values());
    assertThat(config.settings())
        .containsEntry("OTEL_TRACES_SAMPLER_ARG", new Secret("0.25"))
        .hasSize(11);
    assertThat(config.toString()).doesNotContain("a%20b");
    assertThat(config.shown())
        .containsEntry("OTEL_EXPORTER_OTLP_HEADERS", "set, not shown")
        .containsEntry("OTEL_SERVICE_NAME", "guard");
  }

  /** A name among the attributes counts where {@code OTEL_SERVICE_NAME} is not set. */
  @Test
  void theServicesNameMayStandAmongItsAttributes() {
    assertThat(read(Map.of("OTEL_RESOURCE_ATTRIBUTES", "a=b, service.name=guard")).settings())
        .doesNotContainKey("OTEL_SERVICE_NAME");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          OTEL_TRACES_SAMPLER      | some       | otel.traces.sampler: some
          OTEL_TRACES_SAMPLER      | ALWAYS_ON  | otel.traces.sampler: ALWAYS_ON
          OTEL_TRACES_SAMPLER_ARG  | half       | otel.traces.sampler.arg=half
          OTEL_TRACES_SAMPLER_ARG  | 2          | ratio must be in range [0.0, 1.0]
          OTEL_TRACES_SAMPLER_ARG  | -1         | ratio must be in range [0.0, 1.0]
          OTEL_RESOURCE_ATTRIBUTES | prod       | otel.resource.attributes
          OTEL_RESOURCE_ATTRIBUTES | a=b,=prod  | otel.resource.attributes
          """)
  void whatTheSdkCannotReadIsAFault(String name, String value, String said) {
    assertThatThrownBy(() -> read(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", COLLECTOR, name, value)))
        .hasMessageStartingWith("A setting of OpenTelemetry is wrong: ")
        .hasMessageContaining(said);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "secret",
        "=secret",
        "a b=secret",
        "key=%zz-secret",
        "key=%0Asecret",
        "key=%C3%A4secret",
        "key=",
        "key=sécret"
      })
  void faultsDoNotRepeatHeaders(String text) {
    assertThatThrownBy(() ->
            read(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", COLLECTOR, "OTEL_EXPORTER_OTLP_HEADERS", text)))
        .hasMessageContaining("OTEL_EXPORTER_OTLP_HEADERS must be pairs")
        .hasMessageNotContaining("cret");
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_METRIC_EXPORT_INTERVAL, often, OTEL_METRIC_EXPORT_INTERVAL must be",
    "OTEL_LOGS_EXPORTER, console, OTEL_LOGS_EXPORTER must be otlp or none",
    "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL, grpc, OTEL_EXPORTER_OTLP_LOGS_PROTOCOL must be",
    "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT, c:4318, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT must be",
    "OTEL_EXPORTER_OTLP_LOGS_HEADERS, secret, OTEL_EXPORTER_OTLP_LOGS_HEADERS must be pairs",
  })
  void aSignalsOwnSettingsAreChecked(String name, String value, String said) {
    assertThatThrownBy(() -> read(Map.of(name, value)))
        .hasMessageContaining(said)
        .hasMessageNotContaining("cret");
  }

  @Test
  void headersOfOneSignalAreNotShown() {
    assertThat(
            read(Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    COLLECTOR,
                    "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
                    "api-key=hidden"))
                .shown())
        .containsEntry("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "set, not shown");
  }

  @Test
  void namesEveryFaultOfOurs() {
    assertThatThrownBy(() ->
            read(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317",
                    "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc",
                    "OTEL_EXPORTER_OTLP_HEADERS", "key")))
        .hasMessageContainingAll(
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "OTEL_EXPORTER_OTLP_HEADERS");
  }
}
