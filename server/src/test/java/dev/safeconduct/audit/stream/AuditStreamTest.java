package dev.safeconduct.audit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Collector;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.StreamSink;
import dev.safeconduct.testkit.StreamSink.Answer;
import dev.safeconduct.testkit.StreamSink.Post;
import dev.safeconduct.testkit.TestService;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsPartialSuccess;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import io.opentelemetry.proto.logs.v1.LogRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every record arrives over HTTP, in order, whatever happens to the receiver or the service. */
@Timeout(120)
@Tag("slow")
final class AuditStreamTest {
  private static final String ADDRESS = "/api/admin/audit-streams";

  @TempDir Path folder;

  private static Answer accept(Post post) {
    return new Answer(200, "{}");
  }

  private static Map<String, String> settings(String url) {
    var settings = new HashMap<String, String>();
    settings.put("AUDIT_STREAM", "siem");
    settings.put("AUDIT_STREAM_SIEM_URL", url);
    settings.put("AUDIT_STREAM_SIEM_FROM", "start");
    return settings;
  }

  static void decide(TestService service, String agent, int times) {
    for (int i = 0; i < times; i++) {
      String command = i % 2 == 0 ? "ls" : "rm -rf /\u00e9\ud83d\ude00";
      Reply reply = service.admin().post(Questions.COMMAND, Questions.command(agent, command));
      assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    }
  }

  static String agent(TestService service) {
    Reply org = service.admin().get("/api/orgs");
    JsonObject first = (JsonObject) org.json().array("orgs").orElseThrow().get(0);
    return Questions.hosted(
        service,
        first.string("org_id").orElseThrow(),
        Questions.passport(Questions.freshAgent(), 10));
  }

  /** The whole log as the operator can export it. */
  static List<String> log(TestService service) {
    Reply export = service.admin().get("/api/audit/export?format=ndjson");
    assertThat(export.status()).as(export.toString()).isEqualTo(200);
    return export.text().lines().toList();
  }

  static boolean hasAll(TestService service, List<String> received) {
    return new LinkedHashSet<>(received).containsAll(log(service));
  }

  /** A service that has just started lists no destination until its keeper has made the row. */
  static JsonObject state(TestService service) {
    long deadline = System.nanoTime() + 60_000_000_000L;
    JsonArray streams = streams(service);
    while (streams.isEmpty()) {
      assertThat(System.nanoTime()).as("no destination is listed").isLessThan(deadline);
      streams = streams(service);
    }
    return (JsonObject) streams.get(0);
  }

  private static JsonArray streams(TestService service) {
    return service.admin().get(ADDRESS).json().array("streams").orElseThrow();
  }

  /** Waits by asking, which takes its time. */
  static JsonObject awaitState(
      TestService service, java.util.function.Predicate<JsonObject> wanted) {
    long deadline = System.nanoTime() + 60_000_000_000L;
    JsonObject state = state(service);
    while (!wanted.test(state)) {
      assertThat(System.nanoTime()).as(state.toString()).isLessThan(deadline);
      state = state(service);
    }
    return state;
  }

  static double number(JsonObject state, String name) {
    return state.get(name) instanceof JsonNumber(double value, _) ? value : -1;
  }

  /** Without duplicates, what arrived is the log in its order. */
  static void assertIsLog(List<String> received, TestService service) {
    assertThat(new ArrayList<>(new LinkedHashSet<>(received))).isEqualTo(log(service));
  }

  @ParameterizedTest
  @EnumSource
  void everythingArrivesInOrderAcrossOutagesAndRestarts(EachStore store) {
    var calls = new AtomicInteger();
    try (var sink =
        StreamSink.Http.start(
            post -> calls.incrementAndGet() % 3 == 0 ? new Answer(503, "later") : accept(post))) {
      Map<String, String> settings = settings("http://" + sink.address() + "/audit");
      settings.put("AUDIT_STREAM_SIEM_GZIP", "true");
      settings.putAll(store.settings());
      String agent;
      try (TestService service = TestService.start(folder, settings)) {
        agent = agent(service);
        decide(service, agent, 10);
        sink.await(received -> hasAll(service, received));
        sink.script(post -> new Answer(500, "gone"));
        decide(service, agent, 10);
        JsonObject failing = awaitState(service, state -> state.string("error").isPresent());
        assertThat(failing.string("error").orElseThrow()).contains("status 500: gone");
        assertThat(failing.string("failing_since")).isPresent();
        assertThat(number(failing, "lag_records")).isPositive();
        assertThat(service.admin().get("/metrics").text())
            .containsPattern("safeconduct_audit_stream_lag_records\\{destination=\"siem\"\\} [1-9]")
            .contains("safeconduct_audit_stream_lag_seconds{destination=\"siem\"}")
            .containsPattern(
                "safeconduct_audit_stream_failed_total\\{destination=\"siem\"\\} [1-9]");
      }
      sink.script(AuditStreamTest::accept);
      try (TestService service = TestService.start(folder, settings)) {
        decide(service, agent, 5);
        List<String> received = sink.await(all -> hasAll(service, all));
        assertIsLog(received, service);
        awaitState(service, state -> number(state, "lag_records") == 0);
        assertThat(state(service).string("error")).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http://{unknown}, the name of the host cannot be looked up",
    "syslog+tcp://{unknown}, the name of the host cannot be looked up",
    "http://127.0.0.1:1, the host cannot be connected to",
  })
  void whyADestinationCannotBeReachedIsSaid(String url, String why) {
    String unknown = "x".repeat(64); // longer than a label may be: no server is asked for it
    try (TestService service =
        TestService.start(folder, settings(url.replace("{unknown}", unknown)))) {
      awaitState(service, state -> state.string("error").filter(why::equals).isPresent());
    }
  }

  @Test
  void aNewDestinationGetsOnlyLaterRecordsUnlessToldOtherwise() {
    try (var sink = StreamSink.Http.start(AuditStreamTest::accept)) {
      Map<String, String> settings = settings("http://" + sink.address());
      settings.remove("AUDIT_STREAM_SIEM_FROM");
      settings.put("AUDIT_STREAM_SIEM_TOKEN", "a token");
      settings.put("AUDIT_STREAM_SIEM_HEADER", "X-Api-Key: another secret");
      var headers = new ConcurrentLinkedQueue<Map<String, String>>();
      sink.script(post -> {
        headers.add(post.headers());
        return accept(post);
      });
      try (TestService service = TestService.start(folder, settings)) {
        awaitState(service, state -> number(state, "next_index") > 0);
        int before = log(service).size();
        agent(service);
        sink.await(received -> !received.isEmpty());
        assertThat(sink.received().getFirst()).isEqualTo(log(service).get(before));
        assertThat(headers.element())
            .containsEntry("Authorization", "Bearer a token")
            .containsEntry("X-api-key", "another secret")
            .containsEntry("Content-type", "application/x-ndjson");
        assertThat(service.operator().get("/console/settings").text().replace("<wbr>", ""))
            .contains("AUDIT_STREAM_SIEM_URL", sink.address())
            .doesNotContain("a token", "another secret");
      }
    }
  }

  @Test
  void aRecordThatIsRefusedAloneIsSetAsideOnceALaterOneIsAccepted() {
    try (var sink = StreamSink.Http.start(AuditStreamTest::accept);
        TestService service = TestService.start(folder, settings("http://" + sink.address()))) {
      String agent = agent(service);
      sink.await(received -> hasAll(service, received));
      sink.script(post -> new Answer(400, "nothing pleases me"));
      decide(service, agent, 4);
      // A receiver that refuses everything is broken: nothing is left out.
      awaitState(
          service, state -> state.string("error").filter(why -> why.contains("400")).isPresent());
      assertThat(number(state(service), "set_aside_records")).isZero();
      String poison = log(service).get(log(service).size() - 2);
      sink.script(
          post -> post.lines().contains(poison) ? new Answer(413, "too large") : accept(post));
      JsonObject state = awaitState(service, now -> number(now, "set_aside_records") == 1);
      JsonObject aside = (JsonObject) state.array("set_aside").orElseThrow().get(0);
      assertThat(aside.string("answer")).contains("status 413: too large");
      assertThat(poison).contains("\"log_index\":" + (long) number(aside, "first_index") + ",");
      decide(service, agent, 3);
      List<String> wanted = new ArrayList<>(log(service));
      wanted.remove(poison);
      List<String> received = sink.await(all -> new LinkedHashSet<>(all).containsAll(wanted));
      assertThat(new ArrayList<>(new LinkedHashSet<>(received))).isEqualTo(wanted);
      awaitState(service, now -> number(now, "lag_records") == 0);
    }
  }

  @Test
  void splunkGetsEventsAndIsAskedWhetherItHasIndexedThem() throws JsonFault {
    var indexed = new AtomicInteger();
    var ids = new AtomicInteger();
    var channels = new ConcurrentLinkedQueue<String>();
    try (var sink =
        StreamSink.Http.start(post -> {
          channels.add(post.headers().get("X-splunk-request-channel"));
          assertThat(post.headers()).containsEntry("Authorization", "Splunk t-1");
          if (post.path().startsWith("/services/collector/ack?channel=")) {
            boolean done = indexed.incrementAndGet() > 1;
            String first =
                new String(post.body(), java.nio.charset.StandardCharsets.US_ASCII)
                    .replaceAll("\\D+(\\d+).*", "$1");
            return new Answer(200, "{\"acks\":{\"" + first + "\":" + done + "}}");
          }
          assertThat(post.path()).isEqualTo("/services/collector/event");
          return new Answer(
              200, "{\"text\":\"Success\",\"code\":0,\"ackId\":" + ids.getAndIncrement() + "}");
        })) {
      Map<String, String> settings = settings("splunk+http://" + sink.address());
      settings.put("AUDIT_STREAM_SIEM_TOKEN", "t-1");
      try (TestService service = TestService.start(folder, settings)) {
        awaitState(service, state -> number(state, "lag_records") == 0);
        assertThat(indexed.get()).isGreaterThan(1);
        JsonObject event = (JsonObject) Json.parse(sink.received().getFirst());
        assertThat(event.string("sourcetype")).contains("safeconduct:audit");
        assertThat(event.string("host")).contains("127.0.0.1");
        assertThat(Json.text(event.object("event").orElseThrow()))
            .isEqualTo(log(service).getFirst());
        assertThat(channels.stream().distinct()).hasSize(1);
      }
    }
  }

  @Test
  void aCollectorGetsLogsAndWhatItRejectsIsReported() throws IOException {
    var exports = new ConcurrentLinkedQueue<LogRecord>();
    try (var sink =
        StreamSink.Http.start(post -> {
          assertThat(post.path()).isEqualTo("/v1/logs");
          try {
            ExportLogsServiceRequest.parseFrom(post.body()).getResourceLogsList().stream()
                .flatMap(of -> of.getScopeLogsList().stream())
                .forEach(scope -> exports.addAll(scope.getLogRecordsList()));
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return new Answer(200, new byte[0]);
        })) {
      try (TestService service =
          TestService.start(folder, settings("otlp+http://" + sink.address()))) {
        String agent = agent(service);
        decide(service, agent, 2);
        awaitState(service, state -> number(state, "lag_records") == 0);
        List<String> log = log(service);
        assertThat(exports.stream().map(each -> each.getBody().getStringValue()).toList())
            .isEqualTo(log);
        LogRecord deny = exports.stream().reduce((a, b) -> b).orElseThrow();
        assertThat(deny.getSeverityText()).isEqualTo("WARN");
        assertThat(Collector.texts(deny.getAttributesList()))
            .containsEntry("safeconduct.audit.kind", "decision")
            .containsEntry("safeconduct.audit.log_index", Integer.toString(log.size() - 1));
        var partial =
            ExportLogsServiceResponse.newBuilder()
                .setPartialSuccess(
                    ExportLogsPartialSuccess.newBuilder()
                        .setRejectedLogRecords(-1) // not possible: it counts as all of them
                        .setErrorMessage("quota\u0000\nof " + "x".repeat(1_000)))
                .build()
                .toByteArray();
        sink.script(_ -> new Answer(200, partial));
        decide(service, agent, 1);
        JsonObject state = awaitState(service, now -> number(now, "set_aside_records") > 0);
        assertThat(((JsonObject) state.array("set_aside").orElseThrow().get(0)).string("answer"))
            .satisfies(
                answer -> assertThat(answer.orElseThrow()).hasSize(300).startsWith("quota of x"));
        awaitState(service, now -> number(now, "lag_records") == 0);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLogThatIsNotTheOneThatWasSentIsNoticed(EachStore store) throws Exception {
    try (var sink = StreamSink.Http.start(AuditStreamTest::accept)) {
      Map<String, String> settings = settings("http://" + sink.address());
      settings.putAll(store.settings());
      settings.put("DATA_DIR", folder.toString());
      try (TestService service = TestService.start(folder, settings)) {
        awaitState(service, state -> number(state, "lag_records") == 0);
      }
      try (Connection database = store.connection(settings);
          Statement statement = database.createStatement()) {
        statement.executeUpdate("UPDATE audit_stream SET next_index = 2, resend_index = 2");
      }
      int before = sink.received().size();
      try (TestService service = TestService.start(folder, settings)) {
        JsonObject state = awaitState(service, now -> now.string("error").isPresent());
        assertThat(state.string("error").orElseThrow()).contains("is not the one that was sent");
        assertThat(sink.received()).hasSize(before);
      }
    }
  }

  @Test
  void anotherNodeGoesOnWhenTheFirstOneEnds() {
    try (var sink = StreamSink.Http.start(AuditStreamTest::accept)) {
      Map<String, String> settings = settings("http://" + sink.address());
      settings.putAll(EachStore.POSTGRES.settings());
      TestService first = TestService.start(folder.resolve("one"), settings);
      try (TestService second = TestService.start(folder.resolve("two"), settings)) {
        String agent = agent(second);
        decide(second, agent, 3);
        sink.await(received -> hasAll(second, received));
        assertThat(state(first).isTrue("sent_by_this_node")).isTrue();
        assertThat(state(second).isTrue("sent_by_this_node")).isFalse();
        awaitState(second, state -> number(state, "lag_records") == 0);
        first.close();
        decide(second, agent, 3);
        List<String> received = sink.await(all -> hasAll(second, all));
        assertIsLog(received, second);
        assertThat(state(second).isTrue("sent_by_this_node")).isTrue();
      }
    }
  }
}
