package dev.safeconduct.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names, defaults and faults of the settings of tracing. */
final class TraceConfigTest {
  private static TraceConfig read(Map<String, String> variables) {
    var env = new Env(variables);
    TraceConfig config = TraceConfig.from(env);
    env.check();
    return config;
  }

  @Test
  void isOffByDefault() {
    assertThat(read(Map.of()))
        .isEqualTo(new TraceConfig(Optional.empty(), Map.of(), "safeconduct", 1));
    assertThat(Traces.of(read(Map.of()), "1").isOn()).isFalse();
  }

  @Test
  void readsTheNamesOfOpenTelemetry() {
    TraceConfig config =
        read(
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example:4318/",
                "OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b%3D+c, x-scope=traces",
                "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                "OTEL_SERVICE_NAME", "guard",
                "OTEL_TRACES_SAMPLER_ARG", "0.25"));
    assertThat(config)
        .isEqualTo(
            new TraceConfig(
                Optional.of(URI.create("https://collector.example:4318")),
                Map.of("api-key", new Secret("a b=+c"), "x-scope", new Secret("traces")),
                "guard",
                0.25));
    assertThat(config.toString()).doesNotContain("a b=+c");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "0.0", "1.0", ".5", "0.001"})
  void aShareIsANumberFromNoneToAll(String text) {
    assertThat(read(Map.of("OTEL_TRACES_SAMPLER_ARG", text)).share())
        .isEqualTo(Double.parseDouble(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "-1", "1.1", "NaN", "half", "1e-3", "."})
  void whatIsNoShareIsAFault(String text) {
    assertThatThrownBy(() -> read(Map.of("OTEL_TRACES_SAMPLER_ARG", text)))
        .hasMessageContaining("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"secret", "=secret", "a b=secret", "key=%zz-secret", "key=%0Asecret"})
  void faultsDoNotRepeatHeaders(String text) {
    assertThatThrownBy(() -> read(Map.of("OTEL_EXPORTER_OTLP_HEADERS", text)))
        .hasMessageContaining("OTEL_EXPORTER_OTLP_HEADERS must be pairs")
        .hasMessageNotContaining("secret");
  }

  @Test
  void namesEveryFault() {
    assertThatThrownBy(() ->
            read(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317",
                    "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")))
        .hasMessageContainingAll("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL");
  }
}
