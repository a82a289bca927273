package dev.safeconduct.verify;

import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WallClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No request of an allowed size costs more than a second of CPU time. The time of the whole process
 * is measured, because virtual threads have none of their own.
 */
@Tag("attack")
@Tag("timing")
@Tag("slow")
final class WorstCaseTest {
  private static final int LARGEST = 12 << 20;
  private static final Duration MOST = Duration.ofSeconds(1);

  /** How much more than a large document of ordinary content a request may cost anywhere. */
  private static final int TIMES = 2;

  /** How often a request is sent at most; the cheapest run counts. */
  private static final int RUNS = 4;

  @AutoClose private static final TestService service = TestService.start();

  private static Duration usual = Duration.ZERO;

  @BeforeAll
  static void measure() {
    WorstCase document = WorstCase.usual();
    String body = text(document);
    for (int i = 0; i < 2; i++) {
      usual = cost(document, body);
    }
  }

  static Stream<WorstCase> cases() {
    return WorstCase.all();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void costsLittle(WorstCase worst) {
    String body = text(worst);
    Duration most = WallClock.isStrict() ? MOST : usual.multipliedBy(TIMES).plus(MOST);
    // A run may also pay for compiling the code and for collections of garbage.
    Duration cost = cost(worst, body);
    for (int i = 1; i < RUNS && cost.compareTo(MOST) >= 0; i++) {
      Duration again = cost(worst, body);
      cost = again.compareTo(cost) < 0 ? again : cost;
    }
    assertThat(cost).as("CPU time; of an ordinary document: %s", usual).isLessThan(most);
  }

  static Stream<WorstCase> events() {
    String agent = Questions.hosted(service, 5);
    return WorstCase.events()
        .map(each -> new WorstCase(each.name(), each.path() + "?agent_id=" + agent, each.body()));
  }

  @ParameterizedTest
  @MethodSource("events")
  void eventsOfHooksCostLittle(WorstCase event) {
    Reply reply = service.owner().post(event.path(), text(event));
    assertThat(reply.header("Safeconduct-Exit")).isPresent();
    assertThat(reply.header("Safeconduct-Error").orElse("")).isNotEqualTo("internal_server_error");
    costsLittle(event);
  }

  @Test
  void aCheckThatNeedsTooMuchDeniesAndIsCounted() {
    WorstCase worst =
        WorstCase.all()
            .filter(each -> each.name().contains("blocked_patterns"))
            .findFirst()
            .orElseThrow();
    long before = overBudget();
    Reply reply = service.owner().post(worst.path(), text(worst));
    assertThat(Questions.code(reply)).isEqualTo("oap.policy_error");
    assertThat(reply.text()).contains("\"rule\":\"blocked_patterns\"");
    assertThat(overBudget()).isEqualTo(before + 1);
  }

  @Test
  void aHundredPatternsAreSearchedForInALargeOutput() {
    WorstCase large =
        WorstCase.all()
            .filter(each -> each.name().endsWith("blocked_patterns of 5489 characters"))
            .findFirst()
            .orElseThrow();
    Reply reply = service.owner().post(large.path(), text(large));
    assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
  }

  @Test
  void aHundredShortOutputsAreSearchedInOneBatch() {
    String patterns =
        IntStream.range(0, 100)
            .mapToObj(i -> "'a pattern of more than forty characters, number " + i + "'")
            .collect(Collectors.joining(","));
    String one =
        """
        {'policy_id': 'deliverable.task.complete.v1',
         'passport': {'agent_id': 'ap_short', 'status': 'active', 'assurance_level': 'L2',
           'capabilities': [{'id': 'deliverable.task.complete'}],
           'limits': {'deliverable.task.complete': {
             'scan_output': true, 'blocked_patterns': [%s]}}},
         'context': {'task_id': 't', 'output_type': 'code', 'criteria_attestations': [],
           'output_content': 'All tests pass.'}}\
        """
            .formatted(patterns);
    String batch = "{'evaluations': [%s]}".formatted(String.join(",", nCopies(100, one)));
    Reply reply = service.owner().post("/api/verify/batch", batch.replace('\'', '"'));
    assertThat(Calls.json(reply.text()).objects("decisions"))
        .extracting(decision -> decision.isTrue("allow"))
        .hasSize(100)
        .containsOnly(true);
  }

  /** As many objects as a request may describe, of which nothing changes. */
  @ParameterizedTest
  @ValueSource(strings = {"names", "instances", "presets"})
  void filesThatSayWhatIsThereCostLittle(String kind) {
    WorstCase plan =
        WorstCase.all()
            .filter(each -> each.name().equals("a plan, " + kind))
            .findFirst()
            .orElseThrow();
    JsonArray files = Calls.json(text(plan)).array("resources").orElseThrow();
    String org = Questions.Tenant.made(service, kind, "'read'").org();
    for (int from = 0; from < files.size(); from += 750) {
      Reply applied =
          service
              .admin()
              .post(
                  "/api/apply",
                  JsonObject.builder()
                      .put("organization", org)
                      .put("resources", new JsonArray(files.elements().subList(from, from + 750)))
                      .build());
      assertThat(applied.status()).as(applied.toString()).isEqualTo(200);
    }
    WorstCase unchanged =
        new WorstCase(
            plan.name() + " that are there",
            plan.path(),
            () -> "{'organization':'" + org + "'," + plan.body().get().substring(1));
    Reply reply = caller(unchanged).post(unchanged.path(), text(unchanged));
    assertThat(reply.json().object("summary").orElseThrow().get("unchanged"))
        .isEqualTo(new JsonNumber(files.size()));
    costsLittle(unchanged);
  }

  private static long overBudget() {
    Matcher counted =
        Pattern.compile("(?m)^safeconduct_policy_over_budget_total (\\d+)")
            .matcher(service.admin().get("/metrics").text());
    assertThat(counted.find()).isTrue();
    return Long.parseLong(counted.group(1));
  }

  private static String text(WorstCase worst) {
    String text = worst.body().get().replace('\'', '"');
    assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(LARGEST);
    return text;
  }

  /** An API key plans nothing. */
  private static Calls caller(WorstCase worst) {
    return worst.path().equals("/api/plan") ? service.admin() : service.owner();
  }

  private static Duration cost(WorstCase worst, String body) {
    Duration before = service.cpu();
    Reply reply = caller(worst).post(worst.path(), body);
    Duration cost = service.cpu().minus(before);
    if (WallClock.isStrict()) {
      System.out.printf("%,12d bytes %5d ms  %s%n", body.length(), cost.toMillis(), worst);
    }
    assertThat(reply.status()).as(reply.toString()).isLessThan(500);
    return cost;
  }
}
