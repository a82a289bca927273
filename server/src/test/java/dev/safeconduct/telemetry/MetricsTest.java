package dev.safeconduct.telemetry;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Collector;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.TestService;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator's Prometheus and supervisor see. */
final class MetricsTest {
  private static final String PACK = "policy=\"system.command.execute.v1\"";

  @Test
  void decisionsAreCountedByPackOutcomeAndCode() {
    try (TestService service = TestService.start()) {
      String agent = Questions.hosted(service, 9);
      Calls owner = service.owner();
      owner.post(COMMAND, Questions.command(agent, "ls"));
      owner.post(COMMAND, Questions.command(agent, "ls"));
      owner.post(COMMAND, Questions.command(agent, "rm -rf /"));
      owner.post(
          "/api/verify/policy/IN_BODY",
          JsonObject.builder()
              .put("agent_id", agent)
              .put("context", JsonObject.EMPTY)
              .put("policy", Calls.json("{'id': 'any.thing.v1', 'name': 'Any'}"))
              .build());
      System.gc(); // counters outlive it
      String metrics = service.admin().get("/metrics").text();
      assertThat(value(metrics, "safeconduct_decisions_total", PACK, "code=\"oap.allowed\""))
          .isEqualTo(2);
      assertThat(value(metrics, "safeconduct_decisions_total", PACK, "outcome=\"deny\""))
          .isEqualTo(1);
      assertThat(value(metrics, "safeconduct_decisions_total", "policy=\"in_body\"")).isEqualTo(1);
      assertThat(metrics).doesNotContain("any.thing.v1");
      for (String stage : new String[] {"auth", "policy", "usage", "sign", "store"}) {
        assertThat(
                value(metrics, "safeconduct_verify_stage_seconds_count", "stage=\"" + stage + "\""))
            .as(stage)
            .isEqualTo(4);
      }
      assertThat(metrics).contains("safeconduct_verify_stage_seconds_bucket{stage=\"store\",le=");
      assertThat(value(metrics, "safeconduct_store_written_total")).isGreaterThanOrEqualTo(4);
      assertThat(value(metrics, "safeconduct_store_batches_total")).isPositive();
      assertThat(value(metrics, "safeconduct_store_waiting")).isZero();
      assertThat(value(metrics, "safeconduct_store_healthy")).isEqualTo(1);
      assertThat(metrics).contains("jvm_memory_used_bytes");
    }
  }

  /** OpenMetrics 1.0 section 4.6: the histogram names some of the traces that it counts. */
  @Test
  void theTimeOfADecisionNamesItsTraceInOpenMetrics() {
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    try (Collector collector = Collector.start();
        TestService service =
            TestService.start(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()))) {
      String agent = Questions.hosted(service, 9);
      service
          .owner()
          .with("traceparent", "00-" + trace + "-00f067aa0ba902b7-01")
          .post(COMMAND, Questions.command(agent, "ls"));
      String open =
          service.admin().with("Accept", "application/openmetrics-text").get("/metrics").text();
      assertThat(open)
          .contains(" # {span_id=\"")
          .containsPattern("safeconduct_verify_duration_seconds_bucket.* # .*trace_id=\"" + trace)
          .endsWith("# EOF\n");
      String plain = service.admin().get("/metrics").text();
      assertThat(plain).doesNotContain(trace, "# EOF");
      assertThat(value(plain, "safeconduct_verify_duration_seconds_count")).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "application/openmetrics-text; version=1.0.0; q=0.5, application/openmetrics-text",
    "text/plain, text/plain",
    "*/*, text/plain",
    "application/vnd.google.protobuf, text/plain",
  })
  void aScraperGetsAFormatThatItReads(String accept, String type) {
    try (TestService server = TestService.start()) {
      assertThat(server.admin().with("Accept", accept).get("/metrics").header("Content-Type"))
          .hasValueSatisfying(value -> assertThat(value).startsWith(type + "; version="));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readinessNamesItsParts(boolean postgres) {
    Map<String, String> settings = postgres ? EachStore.POSTGRES.settings() : Map.of();
    try (TestService service = TestService.start(settings)) {
      assertThat(service.nobody().get("/readyz").json().object("parts").orElseThrow())
          .isEqualTo(
              Calls.json(
                  "{'store': 'ok', 'changes': 'ok', 'log': 'ok', 'clock': 'ok', 'signing': 'ok'}"));
    }
  }

  /** The sum of the samples of that name that have all these labels. */
  private static double value(String metrics, String name, String... labels) {
    double sum = Double.NaN;
    Matcher line = Pattern.compile("(?m)^" + name + "(\\{[^}]*})? ([0-9.E-]+)$").matcher(metrics);
    while (line.find()) {
      boolean fits = true;
      for (String label : labels) {
        fits &= line.group(1) != null && line.group(1).contains(label);
      }
      if (fits) {
        sum = (Double.isNaN(sum) ? 0 : sum) + Double.parseDouble(line.group(2));
      }
    }
    return sum;
  }
}
