package dev.safeconduct.telemetry;

import static dev.safeconduct.testkit.Collector.hex;
import static dev.safeconduct.testkit.Collector.texts;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Collector;
import dev.safeconduct.testkit.TestService;
import io.opentelemetry.proto.trace.v1.Span;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests a collector hears of by each sampler, and what it is told of the service. */
final class TraceSamplersTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SAMPLED = "00-" + TRACE + "-00f067aa0ba902b7-01";
  private static final String UNSAMPLED = "00-" + TRACE + "-00f067aa0ba902b7-00";

  @ParameterizedTest
  @CsvSource({
    ", , begun sampled",
    ", 0, sampled",
    "always_on, , begun sampled unsampled",
    "always_on, 0, begun sampled unsampled",
    "always_off, , ''",
    "traceidratio, 1, begun sampled unsampled",
    "traceidratio, 0, ''",
    "parentbased_always_on, 0, begun sampled",
    "parentbased_always_off, 1, sampled",
    "parentbased_traceidratio, 0, sampled",
    "parentbased_traceidratio, 1, begun sampled",
  })
  void aSamplerKeeps(@Nullable String sampler, @Nullable String share, String kept) {
    try (Collector collector = Collector.start()) {
      var settings = new HashMap<String, String>();
      settings.put("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url());
      Optional.ofNullable(sampler).ifPresent(s -> settings.put("OTEL_TRACES_SAMPLER", s));
      Optional.ofNullable(share).ifPresent(s -> settings.put("OTEL_TRACES_SAMPLER_ARG", s));
      askedOf(settings);
      List<String> wanted = kept.isEmpty() ? List.of() : Arrays.asList(kept.split(" ", -1));
      assertThat(names(collector)).containsExactlyInAnyOrderElementsOf(wanted);
    }
  }

  /** Asks once with each kind of parent; at the end everything kept has been sent. */
  private static void askedOf(Map<String, String> settings) {
    try (TestService service = TestService.start(settings)) {
      Calls calls = service.nobody();
      calls.with("X-Request-Id", "begun").get("/api/policies");
      calls.with("X-Request-Id", "sampled").with("traceparent", SAMPLED).get("/api/policies");
      calls.with("X-Request-Id", "unsampled").with("traceparent", UNSAMPLED).get("/api/policies");
    }
  }

  private static List<String> names(Collector collector) {
    return collector.spans().stream()
        .filter(span -> span.getKind() == Span.SpanKind.SPAN_KIND_SERVER)
        .map(span -> texts(span.getAttributesList()).get("safeconduct.request.id"))
        .toList();
  }

  @Test
  void whatACallerSentIsStillTheParentWhereItsDecisionDoesNotCount() {
    try (Collector collector = Collector.start()) {
      askedOf(
          Map.of(
              "OTEL_EXPORTER_OTLP_ENDPOINT", collector.url(), "OTEL_TRACES_SAMPLER", "always_on"));
      List<Span> ofCaller =
          collector.spans().stream()
              .filter(span -> span.getKind() == Span.SpanKind.SPAN_KIND_SERVER)
              .filter(span -> hex(span.getTraceId()).equals(TRACE))
              .toList();
      assertThat(ofCaller)
          .hasSize(2)
          .allMatch(span -> hex(span.getParentSpanId()).equals("00f067aa0ba902b7"));
    }
  }

  @Test
  void theServiceIsDescribedAsItsOperatorSays() {
    try (Collector collector = Collector.start()) {
      askedOf(
          Map.of(
              "OTEL_EXPORTER_OTLP_ENDPOINT",
              collector.url(),
              "OTEL_SERVICE_NAME",
              "guard",
              "OTEL_RESOURCE_ATTRIBUTES",
              "service.name=other,service.instance.id=sc-0,team=a%2Cb%20c"));
      assertThat(collector.resource())
          .containsEntry("service.name", "guard")
          .containsEntry("service.instance.id", "sc-0")
          .containsEntry("team", "a,b c")
          .containsEntry("telemetry.sdk.name", "opentelemetry")
          .containsKey("service.version");
    }
  }

  @Test
  void aNameAmongTheAttributesIsTheServices() {
    try (Collector collector = Collector.start()) {
      askedOf(
          Map.of(
              "OTEL_EXPORTER_OTLP_ENDPOINT",
              collector.url(),
              "OTEL_RESOURCE_ATTRIBUTES",
              "service.name=guard"));
      assertThat(collector.resource()).containsEntry("service.name", "guard");
    }
  }
}
