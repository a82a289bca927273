package dev.safeconduct.telemetry;

import static dev.safeconduct.testkit.Collector.hex;
import static dev.safeconduct.testkit.Collector.texts;
import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Collector;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WebhookRig;
import io.opentelemetry.proto.trace.v1.Span;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a collector is told of requests, and receivers of the trace they belong to. */
final class TracesTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String PARENT = "00f067aa0ba902b7";
  private static final String SENT = "00-" + TRACE + "-" + PARENT + "-01";

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static Collector collector;

  @SuppressWarnings("NullAway.Init")
  private static WebhookRig rig;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  static Path folder;

  private static TestService service() {
    return rig.service;
  }

  @BeforeAll
  static void start() {
    collector = Collector.start();
    rig =
        new WebhookRig(
            folder,
            WebhookRig.open(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", collector.url(),
                    "OTEL_EXPORTER_OTLP_HEADERS", "x-collector-key=s%65s+am",
                    "OTEL_SERVICE_NAME", "guard-of-tests")));
  }

  @AfterAll
  static void stop() {
    rig.close();
    collector.close();
  }

  /** The span of the request with that id, when it is there; its parts come before it. */
  private static Span of(String requestId) {
    return collector.awaitOne(span -> isOf(span, requestId)).stream()
        .filter(span -> isOf(span, requestId))
        .findFirst()
        .orElseThrow();
  }

  private static boolean isOf(Span span, String requestId) {
    return requestId.equals(texts(span.getAttributesList()).get("safeconduct.request.id"));
  }

  private static List<Span> parts(Span whole) {
    return collector.spans().stream()
        .filter(span -> span.getParentSpanId().equals(whole.getSpanId()))
        .toList();
  }

  private static Calls calls(String requestId) {
    return service().owner().with("X-Request-Id", requestId);
  }

  @Test
  void aVerificationIsASpanWithItsStages() {
    String agent = Questions.hosted(service(), 9);
    Reply reply =
        calls("verify-1")
            .with("traceparent", SENT)
            .with("tracestate", "vendor=value")
            .post(COMMAND, Questions.command(agent, "git log --author=unspeakable"));
    Span span = of("verify-1");
    assertThat(hex(span.getTraceId())).isEqualTo(TRACE);
    assertThat(hex(span.getParentSpanId())).isEqualTo(PARENT);
    assertThat(span.getTraceState()).isEqualTo("vendor=value");
    assertThat(span.getName()).isEqualTo("POST /api/verify/policy/{policy_id}");
    assertThat(span.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_SERVER);
    assertThat(texts(span.getAttributesList()))
        .isEqualTo(
            new TreeMap<>(
                Map.of(
                    "http.request.method", "POST",
                    "http.route", "/api/verify/policy/{policy_id}",
                    "http.response.status_code", "200",
                    "url.path", COMMAND,
                    "safeconduct.request.id", "verify-1",
                    "safeconduct.policy.id", "system.command.execute.v1",
                    "safeconduct.decision.allow", "true",
                    "safeconduct.decision.code", "oap.allowed",
                    "safeconduct.decision.id", reply.string("decision_id"))));
    assertThat(parts(span))
        .extracting(Span::getName)
        .containsExactly("auth", "policy", "usage", "sign", "store");
    long end = span.getStartTimeUnixNano();
    for (Span part : parts(span)) {
      assertThat(part.getTraceId()).isEqualTo(span.getTraceId());
      assertThat(part.getStartTimeUnixNano()).isGreaterThanOrEqualTo(end);
      end = part.getEndTimeUnixNano();
    }
    assertThat(span.getEndTimeUnixNano()).isGreaterThanOrEqualTo(end);
    assertThat(collector.spans().toString()).doesNotContain("unspeakable", agent);
    assertThat(collector.resource())
        .containsEntry("service.name", "guard-of-tests")
        .containsKeys("service.version", "service.instance.id");
    assertThat(collector.keys()).isNotEmpty().containsOnly("ses+am");
  }

  @Test
  void aDenyTellsItsCode() {
    String agent = Questions.hosted(service(), 9);
    calls("verify-2").post(COMMAND, Questions.command(agent, "rm -rf /"));
    assertThat(texts(of("verify-2").getAttributesList()))
        .containsEntry("safeconduct.decision.allow", "false")
        .containsEntry("safeconduct.decision.code", "oap.command_not_allowed");
  }

  /** All are sent first, because spans are exported once a second. */
  @Test
  void aMalformedParentIsNone() {
    List<String> malformed =
        List.of(
            "nonsense",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x");
    for (String parent : malformed) {
      Reply reply = calls(id(parent)).with("traceparent", parent).get("/api/policies");
      assertThat(reply.status()).as(parent).isEqualTo(200);
    }
    for (String parent : malformed) {
      Span span = of(id(parent));
      assertThat(span.getParentSpanId().isEmpty()).as(parent).isTrue();
      assertThat(hex(span.getTraceId())).as(parent).isNotEqualTo(TRACE).hasSize(32);
    }
  }

  private static String id(String text) {
    return "id-" + Integer.toHexString(text.hashCode());
  }

  @Test
  void twoParentsAreNone() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(service().base().resolve("/api/policies"))
            .header("X-Request-Id", "two-parents")
            .header("traceparent", SENT)
            .header("traceparent", SENT)
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    }
    assertThat(hex(of("two-parents").getTraceId())).isNotEqualTo(TRACE);
  }

  @Test
  void whatTheCallerDoesNotSampleIsNotSent() {
    calls("unsampled").with("traceparent", SENT.replace("-01", "-00")).get("/api/policies");
    calls("sampled").get("/api/policies");
    of("sampled");
    assertThat(collector.spans()).noneMatch(span -> isOf(span, "unsampled"));
  }

  /** A path with a secret, and what is told of it. */
  private record SecretPath(String path, @Nullable String route, int status) {}

  @Test
  void secretsInPathsAreNotTold() {
    List<SecretPath> paths =
        List.of(
            new SecretPath("/claim/very-secret-token", "/claim/{token}", 410),
            new SecretPath("//password//very-secret-token", "/password/{token}", 410),
            new SecretPath("/nowhere/very-secret-token", null, 404),
            new SecretPath("/claim/very-secret-token/more", null, 404));
    for (SecretPath each : paths) {
      // Not resolved, which would lose a doubled slash.
      String url = URI.create(service().base() + each.path().substring(1)).toString();
      assertThat(calls(id(each.path())).get(url).status()).isEqualTo(each.status());
    }
    for (SecretPath each : paths) {
      Map<String, String> attributes = texts(of(id(each.path())).getAttributesList());
      assertThat(attributes.get("http.route")).as(each.path()).isEqualTo(each.route());
      assertThat(attributes.get("url.path")).as(each.path()).isEqualTo(each.route());
      assertThat(attributes)
          .containsEntry("http.response.status_code", Integer.toString(each.status()));
    }
    assertThat(collector.spans().toString()).doesNotContain("very-secret-token");
  }

  @Test
  void supervisorsAreNotTraced() {
    calls("probe").get("/healthz");
    calls("probe").get("/readyz");
    calls("after-probe").get("/api/policies");
    of("after-probe");
    assertThat(collector.spans()).noneMatch(span -> isOf(span, "probe"));
  }

  @Test
  void aReceiverGetsTheTraceOfTheChange() {
    try (ScriptedReceiver receiver =
        ScriptedReceiver.answering(
            "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) {
      String agent = rig.agent();
      rig.webhook(agent, receiver.url() + "?token=very-secret", Calls.json("{}"));
      calls("suspend")
          .with("traceparent", SENT)
          .with("tracestate", "vendor=value")
          .put("/api/passports/" + agent + "/status", "{\"status\": \"suspended\"}");
      Span change = of("suspend");
      List<Span> tries =
          parts(change).stream()
              .filter(span -> span.getKind() == Span.SpanKind.SPAN_KIND_CLIENT)
              .toList();
      assertThat(receiver.received()).hasSize(2);
      for (int i = 0; i < 2; i++) {
        Span each = tries.get(i);
        ScriptedReceiver.Received received = receiver.received().get(i);
        assertThat(received.header("traceparent"))
            .isEqualTo("00-" + TRACE + "-" + hex(each.getSpanId()) + "-01");
        assertThat(received.headers()).doesNotContainKey("tracestate");
        assertThat(each.getName()).isEqualTo("POST");
      }
      Map<String, String> first = texts(tries.get(0).getAttributesList());
      assertThat(first)
          .containsEntry("http.response.status_code", "503")
          .containsEntry("error.type", "503")
          .containsEntry("server.address", "127.0.0.1")
          .containsEntry("server.port", Integer.toString(receiver.port()));
      assertThat(texts(tries.get(1).getAttributesList()))
          .containsEntry("http.request.resend_count", "1")
          .doesNotContainKey("error.type");
      assertThat(collector.spans().toString()).doesNotContain("?token=");
    }
  }

  @Test
  void eachDecisionOfABatchIsAnEvent() {
    String agent = Questions.hosted(service(), 9);
    Reply reply =
        calls("batch")
            .post(
                "/access/v1/evaluations",
                Calls.json(
                    """
                    {'subject': {'type': 'agent', 'id': '%s'},
                     'action': {'name': 'system.command.execute.v1'},
                     'resource': {'type': 'command', 'id': 'c'},
                     'evaluations': [{'context': {'command': 'ls'}},
                       {'context': {'command': 'rm -rf /'}}]}
                    """
                        .formatted(agent)));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    Span span = of("batch");
    assertThat(span.getEventsList())
        .extracting(event -> texts(event.getAttributesList()).get("safeconduct.decision.allow"))
        .containsExactlyInAnyOrder("true", "false");
    assertThat(parts(span)).extracting(Span::getName).containsExactly("auth");
  }

  @Test
  void anEvaluationHasStagesToo() {
    String agent = Questions.hosted(service(), 9);
    calls("evaluation")
        .post(
            "/access/v1/evaluation",
            Calls.json(
                """
                {'subject': {'type': 'agent', 'id': '%s'},
                 'action': {'name': 'system.command.execute.v1'},
                 'resource': {'type': 'command', 'id': 'c'}, 'context': {'command': 'ls'}}
                """
                    .formatted(agent)));
    Span span = of("evaluation");
    assertThat(parts(span)).extracting(Span::getName).contains("policy", "usage", "sign", "store");
    assertThat(texts(span.getAttributesList()))
        .containsEntry("safeconduct.policy.id", "system.command.execute.v1");
  }
}
