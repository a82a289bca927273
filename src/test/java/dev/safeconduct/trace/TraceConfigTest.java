package dev.safeconduct.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
        .isEqualTo(
            new TraceConfig(
                Optional.empty(),
                Map.of(),
                "safeconduct",
                Sampling.PARENTBASED_TRACEIDRATIO,
                1,
                new LinkedHashMap<>()));
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
                "OTEL_RESOURCE_ATTRIBUTES",
                    "service.name=other, deployment.environment.name=prod,note=a%2Cb%3Dc+%C3%A4,none=,x=1,x=2",
                "OTEL_TRACES_SAMPLER", "traceidratio",
                "OTEL_TRACES_SAMPLER_ARG", "0.25"));
    var attributes = new LinkedHashMap<String, String>();
    attributes.put("deployment.environment.name", "prod");
    attributes.put("note", "a,b=c+ä");
    attributes.put("none", "");
    attributes.put("x", "2");
    assertThat(config)
        .isEqualTo(
            new TraceConfig(
                Optional.of(URI.create("https://collector.example:4318")),
                Map.of("api-key", new Secret("a b=+c"), "x-scope", new Secret("traces")),
                "guard",
                Sampling.TRACEIDRATIO,
                0.25,
                attributes));
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

  @Test
  void theServicesNameMayStandAmongItsAttributes() {
    TraceConfig config = read(Map.of("OTEL_RESOURCE_ATTRIBUTES", "a=b,service.name=guard"));
    assertThat(config.serviceName()).isEqualTo("guard");
    assertThat(config.attributes()).containsOnlyKeys("a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"prod", "=prod", "%20=x", "a=%zz", "a=%C3", "a=%0Ab", "%2=x", "service.name="})
  void whatIsNoAttributeIsAFault(String text) {
    assertThatThrownBy(() -> read(Map.of("OTEL_RESOURCE_ATTRIBUTES", "fit=yes," + text)))
        .hasMessageContaining("OTEL_RESOURCE_ATTRIBUTES must be pairs")
        .hasMessageEndingWith("this is none: " + text + ".");
  }

  @ParameterizedTest
  @EnumSource(Sampling.class)
  void samplersHaveTheirNamesOfOpenTelemetry(Sampling sampling) {
    assertThat(read(Map.of("OTEL_TRACES_SAMPLER", sampling.toString())).sampling())
        .isEqualTo(sampling);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jaeger_remote", "xray", "ALWAYS_ON", "parentbased", "always"})
  void whatIsNoSamplerIsAFault(String text) {
    assertThatThrownBy(() -> read(Map.of("OTEL_TRACES_SAMPLER", text)))
        .hasMessageContaining(
            "OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio,"
                + " parentbased_always_on, parentbased_always_off, parentbased_traceidratio");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "secret",
        "=secret",
        "a b=secret",
        "key=%zz-secret",
        "key=%0Asecret",
        "key=%C3%A4secret"
      })
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
                    "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc",
                    "OTEL_TRACES_SAMPLER", "some",
                    "OTEL_TRACES_SAMPLER_ARG", "most",
                    "OTEL_RESOURCE_ATTRIBUTES", "ours")))
        .hasMessageContainingAll(
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "OTEL_TRACES_SAMPLER must",
            "OTEL_TRACES_SAMPLER_ARG",
            "OTEL_RESOURCE_ATTRIBUTES");
  }
}
