package dev.safeconduct.telemetry;

import static dev.safeconduct.testkit.Collector.hex;
import static dev.safeconduct.testkit.Collector.texts;
import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.safeconduct.config.Env;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Collector;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WebhookRig;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.SeverityNumber;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The metrics and log lines that an OpenTelemetry collector gets. */
@Tag("slow")
final class OtlpTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String NAME = "dev.safeconduct.telemetry.OtlpTest";
  private static final Logger LOG = logger(NAME);

  @TempDir Path folder;

  /** A logger that speaks; the tests turn all others off. */
  private static Logger logger(String name) {
    Logger logger = LoggerFactory.getLogger(name);
    ((ch.qos.logback.classic.Logger) logger).setLevel(Level.INFO);
    return logger;
  }

  private static Otlp open(Metrics metrics, String collector) {
    var env = new Env(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector));
    OtlpConfig config = OtlpConfig.from(env);
    env.check();
    return Otlp.open(config, "1.2.3", metrics);
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void aCollectorGetsTheMetricsOfAScrapeAndTheLog(EachStore store) {
    try (Collector collector = Collector.start()) {
      var settings = new HashMap<>(store.settings());
      settings.put("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url());
      settings.put("OTEL_METRIC_EXPORT_INTERVAL", "200");
      settings.put("OTEL_TRACES_EXPORTER", "none");
      settings.put("OTEL_EXPORTER_OTLP_HEADERS", "x-collector-key=secret-of-the-collector");
      try (TestService service = TestService.start(settings)) {
        String agent = Questions.hosted(service, 9);
        service.owner().post(COMMAND, Questions.command(agent, "ls"));
        service.owner().post(COMMAND, Questions.command(agent, "rm -rf /"));
        LOG.warn("a line of {}", store);
        Map<String, Metric> metrics =
            collector.awaitMetrics(all ->
                all.containsKey("safeconduct_decisions")
                    && sum(all.get("safeconduct_decisions")) == 2
                    // Noted after the answer, so maybe after this export.
                    && all.containsKey("safeconduct_verify_duration_seconds")
                    && timed(all.get("safeconduct_verify_duration_seconds")) == 2);
        assertThat(metric(metrics, "safeconduct_decisions").getSum().getIsMonotonic()).isTrue();
        assertThat(metric(metrics, "safeconduct_verify_duration_seconds").getUnit()).isEqualTo("s");
        assertThat(metrics.keySet()).isEqualTo(families(service.admin().get("/metrics").text()));
        assertThat(collector.awaitLogs(NAME, 1).getFirst().getBody().getStringValue())
            .isEqualTo("a line of " + store);
        assertThat(collector.resource())
            .containsEntry("service.name", "safeconduct")
            .containsKeys("service.version", "service.instance.id");
        assertThat(collector.keys()).isEmpty(); // no traces
      }
    }
  }

  private static long timed(Metric metric) {
    return metric.getHistogram().getDataPoints(0).getCount();
  }

  private static Metric metric(Map<String, Metric> metrics, String name) {
    return Objects.requireNonNull(metrics.get(name), name);
  }

  /** Names as in a scrape, of those that have a value, without the suffix of counters. */
  private static Set<String> families(String scrape) {
    return Pattern.compile("(?m)^# TYPE (\\S+) \\S+\n(?=\\1)")
        .matcher(scrape)
        .results()
        .map(line -> line.group(1).replaceFirst("_total$", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static double sum(Metric metric) {
    return metric.getSum().getDataPointsList().stream()
        .mapToDouble(NumberDataPoint::getAsDouble)
        .sum();
  }

  @Test
  void theLastMetricsAndLinesAreSentAtTheEnd() {
    try (Collector collector = Collector.start()) {
      try (TestService service =
          TestService.start(
              Map.of(
                  "OTEL_EXPORTER_OTLP_ENDPOINT",
                  collector.url(),
                  "OTEL_METRIC_EXPORT_INTERVAL",
                  "3600000"))) {
        String agent = Questions.hosted(service, 9);
        service.owner().post(COMMAND, Questions.command(agent, "ls"));
        LOG.warn("the last words");
        assertThat(collector.metrics()).isEmpty();
      }
      assertThat(sum(metric(collector.metrics(), "safeconduct_decisions"))).isEqualTo(1);
      assertThat(collector.logs(NAME))
          .extracting(line -> line.getBody().getStringValue())
          .contains("the last words");
    }
  }

  @Test
  void aLineHasItsSeveritySpanAndException() {
    var metrics = new Metrics("1", false);
    try (Collector collector = Collector.start();
        Otlp otlp = open(metrics, collector.url())) {
      RequestSpan span =
          otlp.traces()
              .begin(
                  "GET",
                  "00-" + TRACE + "-00f067aa0ba902b7-01",
                  "",
                  Instant.now(),
                  System.nanoTime());
      if (span == null) {
        throw new AssertionError("nothing is traced");
      }
      span.within(() -> LOG.error("in a request", new IllegalStateException("the reason")));
      LOG.info("outside");
      logger("io.opentelemetry.exporter.Test").warn("its own");
      logger("deadletter").warn("https://receiver.example/?token=secret");
      LOG.warn("x".repeat(100_000));
      var lines = collector.awaitLogs(NAME, 3);
      LogRecord first = lines.getFirst();
      assertThat(first.getSeverityNumber()).isEqualTo(SeverityNumber.SEVERITY_NUMBER_ERROR);
      assertThat(first.getSeverityText()).isEqualTo("ERROR");
      assertThat(hex(first.getTraceId())).isEqualTo(TRACE);
      assertThat(hex(first.getSpanId())).isEqualTo(span.spanId());
      assertThat(texts(first.getAttributesList()))
          .containsEntry("exception.type", "java.lang.IllegalStateException")
          .containsEntry("exception.message", "the reason")
          .hasEntrySatisfying(
              "exception.stacktrace", text -> assertThat(text).contains("OtlpTest.java"));
      assertThat(lines.get(1).getSeverityNumber()).isEqualTo(SeverityNumber.SEVERITY_NUMBER_INFO);
      assertThat(lines.get(1).getTraceId().isEmpty()).isTrue();
      assertThat(lines.get(2).getBody().getStringValue()).hasSize(16 << 10);
      assertThat(collector.loggers()).containsOnly(NAME);
    }
  }

  /** The queue holds 2,048 lines; a thread that logs never waits for the collector. */
  @Test
  void whatACollectorThatHangsDoesNotTakeIsDroppedAndCounted() {
    var metrics = new Metrics("1", false);
    try (ScriptedReceiver collector =
            ScriptedReceiver.start((connection, _) -> {
              connection.request();
              connection.hang();
            });
        Otlp _ = open(metrics, "http://127.0.0.1:" + collector.port())) {
      for (int i = 0; i < 10_000; i++) {
        LOG.warn("line {}", i);
      }
      String scrape = metrics.scrape("").text();
      var dropped =
          Pattern.compile("safeconduct_telemetry_dropped_total\\{signal=\"logs\"} ([0-9.E]+)")
              .matcher(scrape);
      assertThat(dropped.find()).isTrue();
      assertThat(Double.parseDouble(dropped.group(1))).isBetween(4_000.0, 10_000.0);
      assertThat(scrape).contains("safeconduct_telemetry_exported_total{signal=\"logs\"} 0.0");
    }
  }

  /** What is closed after it, as the database, has the rest of the time in which a stop ends. */
  @Test
  void aStopWaitsThreeSecondsForACollectorThatHangs() throws InterruptedException {
    var exported = new CountDownLatch(1);
    try (ScriptedReceiver collector =
        ScriptedReceiver.start((connection, _) -> {
          if (connection.request().requestLine().contains("/v1/metrics")) {
            exported.countDown();
          }
          connection.hang();
        })) {
      var env =
          new Env(
              Map.of(
                  "OTEL_EXPORTER_OTLP_ENDPOINT",
                  "http://127.0.0.1:" + collector.port(),
                  "OTEL_METRIC_EXPORT_INTERVAL",
                  "100"));
      Otlp otlp = Otlp.open(OtlpConfig.from(env), "1.2.3", new Metrics("1", false));
      exported.await();
      long began = System.nanoTime();
      otlp.close();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(4));
    }
  }

  @Test
  void whatACollectorRefusesIsCounted() {
    try (ScriptedReceiver collector =
        ScriptedReceiver.answering("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n")) {
      var metrics = new Metrics("1", false);
      try (Otlp _ = open(metrics, "http://127.0.0.1:" + collector.port())) {
        LOG.warn("refused");
      }
      assertThat(metrics.scrape("").text())
          .doesNotContain("safeconduct_telemetry_exported_total{signal=\"logs\"} 1")
          .contains("safeconduct_telemetry_dropped_total{signal=\"logs\"} 1.0");
    }
  }

  /** Neither request nor response bodies, nor credentials, nor addresses of webhooks. */
  @Test
  void noSecretIsExported() {
    logger("dev.safeconduct");
    try (Collector collector = Collector.start();
        ScriptedReceiver receiver =
            ScriptedReceiver.answering("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")) {
      try (var rig =
          new WebhookRig(
              folder,
              WebhookRig.open(
                  Map.of(
                      "OTEL_EXPORTER_OTLP_ENDPOINT",
                      collector.url(),
                      "OTEL_METRIC_EXPORT_INTERVAL",
                      "200")))) {
        String agent = rig.agent();
        rig.webhook(agent, receiver.url() + "?token=very-secret", Calls.json("{}"));
        rig.service.owner().post(COMMAND, Questions.command(agent, "git log --author=unspeakable"));
        rig.service
            .owner()
            .put("/api/passports/" + agent + "/status", "{\"status\": \"suspended\"}");
        rig.service.owner().get("/claim/very-secret-token");
      }
      assertThat(collector.metrics()).isNotEmpty();
      String told = collector.metrics().toString() + collector.spans();
      for (String logger : collector.loggers()) {
        told += collector.logs(logger);
      }
      assertThat(told).doesNotContain("very-secret", "unspeakable", TestService.ADMIN_TOKEN);
    }
  }
}
