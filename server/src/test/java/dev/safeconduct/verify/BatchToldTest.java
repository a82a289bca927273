package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Batches.BATCH;
import static dev.safeconduct.testkit.Collector.texts;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Batches;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Collector;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import io.opentelemetry.proto.trace.v1.Span;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operators and approvers are told of each decision of a batch as of any other. */
final class BatchToldTest {
  private final Collector collector = Collector.start();

  @SuppressWarnings("NullAway.Init") // set before each test
  private TestService service;

  @SuppressWarnings("NullAway.Init")
  private String agent;

  @BeforeEach
  void start() {
    service = TestService.start(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()));
    agent = Questions.hosted(service, 9);
  }

  @AfterEach
  void stop() {
    service.close();
    collector.close();
  }

  @Test
  void everyDecisionIsCountedWithItsStages() {
    Batches.ask(
        service.owner(),
        Batches.command(agent, "ls"),
        Batches.command(agent, "git status"),
        Batches.command(agent, "rm -rf /"),
        Batches.message(agent),
        Batches.message("ap_unknown"));
    String metrics = service.admin().get("/metrics").text();
    String command = "policy=\"system.command.execute.v1\"";
    assertThat(sum(metrics, "safeconduct_decisions_total", command, "outcome=\"allow\""))
        .isEqualTo(2);
    assertThat(sum(metrics, "safeconduct_decisions_total", command, "outcome=\"deny\""))
        .isEqualTo(1);
    assertThat(sum(metrics, "safeconduct_decisions_total", "", "outcome=\"allow\"")).isEqualTo(3);
    String count = "safeconduct_verify_stage_seconds_count";
    for (String stage : List.of("policy", "usage", "sign", "store")) {
      assertThat(sum(metrics, count, "stage=\"" + stage + "\"", "")).as(stage).isEqualTo(4);
    }
    assertThat(sum(metrics, count, "stage=\"auth\"", "")).isEqualTo(1);
  }

  private static double sum(String metrics, String name, String label, String other) {
    double sum = 0;
    Matcher line = Pattern.compile("(?m)^" + name + "\\{([^}]*)} ([0-9.E-]+)$").matcher(metrics);
    while (line.find()) {
      if (line.group(1).contains(label) && line.group(1).contains(other)) {
        sum += Double.parseDouble(line.group(2));
      }
    }
    return sum;
  }

  @Test
  void everyDecisionIsAnEventOfTheRequestsSpan() {
    Calls calls = service.owner().with("X-Request-Id", "batch");
    List<JsonObject> answers =
        Batches.ask(
            calls,
            Batches.command(agent, "ls"),
            Batches.message(agent),
            Batches.command(agent, "rm -rf /"),
            Batches.message("ap_unknown"));
    Span span =
        collector.awaitOne(BatchToldTest::isOfBatch).stream()
            .filter(BatchToldTest::isOfBatch)
            .findFirst()
            .orElseThrow();
    assertThat(span.getName()).isEqualTo("POST " + BATCH);
    assertThat(span.getEventsList())
        .extracting(event -> texts(event.getAttributesList()).get("safeconduct.decision.id"))
        .containsExactlyInAnyOrderElementsOf(
            answers.stream().flatMap(answer -> answer.string("decision_id").stream()).toList())
        .hasSize(3);
  }

  private static boolean isOfBatch(Span span) {
    return "batch".equals(texts(span.getAttributesList()).get("safeconduct.request.id"));
  }

  /** An approval is for the bytes of one context, whether it was asked for alone or with others. */
  @Test
  void anApprovalAskedForInABatchIsUsedInOneOrAlone() {
    Calls person = service.operator();
    String gated =
        service
            .owner()
            .post(
                "/api/passports",
                Calls.json(
                    """
                    {'name': 'Gated', 'capabilities': [{'id': 'messaging.send'}],
                     'limits': {'messaging.send': {'msgs_per_min': 9, 'msgs_per_day': 9,
                       'channels_allowlist': ['team'], 'approval_required': true}}}
                    """))
            .string("agent_id");
    JsonObject first = Batches.message(gated);
    JsonObject context = first.object("context").orElseThrow();
    JsonObject second = first.with("context", context.with("message", new JsonString("Else.")));
    List<JsonObject> asked =
        Batches.ask(service.owner(), Batches.command(agent, "ls"), first, second, first);
    String one = approval(asked.get(1));
    String other = approval(asked.get(2));
    assertThat(one).isNotEqualTo(other).isEqualTo(approval(asked.get(3)));
    for (String id : List.of(one, other)) {
      assertThat(person.post("/api/approvals/" + id + "/approve", "{}").status()).isEqualTo(200);
    }
    JsonObject swapped = second.with("approval_id", new JsonString(one));
    JsonObject right = first.with("approval_id", new JsonString(one));
    List<JsonObject> used = Batches.ask(service.owner(), swapped, right, right);
    assertThat(Batches.outcomes(used))
        .containsExactly("oap.approval_required", "oap.allowed", "oap.approval_required");
    Reply alone =
        service
            .owner()
            .post(
                Questions.MESSAGE,
                second.without("policy_id").with("approval_id", new JsonString(other)));
    assertThat(Questions.code(alone)).isEqualTo("oap.allowed");
  }

  private static String approval(JsonObject answer) {
    assertThat(Batches.outcome(answer)).isEqualTo("oap.approval_required");
    return answer.object("approval").orElseThrow().string("approval_id").orElseThrow();
  }
}
