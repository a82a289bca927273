package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Sixty-four callers race for the last units of every kind of counter, on SQLite and on two nodes
 * with PostgreSQL: as many get one as there are. The kinds stand in {@code usage-races.json}.
 */
final class UsageRaceTest {
  private static final int CALLERS = 64;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static List<TestService> alone;

  @SuppressWarnings("NullAway.Init")
  private static List<TestService> pair;

  @BeforeAll
  static void start() {
    alone = List.of(TestService.start());
    Map<String, String> database = EachStore.POSTGRES.settings();
    pair = List.of(TestService.start(database), TestService.start(database));
  }

  @AfterAll
  static void stop() {
    pair.reversed().forEach(TestService::close);
    alone.forEach(TestService::close);
  }

  @TestFactory
  List<DynamicTest> giveAwayWhatThereIs() {
    var tests = new ArrayList<DynamicTest>();
    for (JsonObject race : CaseFile.objects("usage-races.json")) {
      String about = race.string("about").orElseThrow();
      for (int cap : race.isTrue("once") ? new int[] {1} : new int[] {1, 7}) {
        tests.add(dynamicTest(about + ", " + cap + ", SQLite", () -> run(alone, race, cap)));
        tests.add(dynamicTest(about + ", " + cap + ", two nodes", () -> run(pair, race, cap)));
      }
    }
    return tests;
  }

  private static void run(List<TestService> nodes, JsonObject race, int cap) {
    TestService first = nodes.getFirst();
    String agent =
        Questions.hosted(
            first, first.org(), filled(race.object("passport").orElseThrow(), "", 0, cap));
    String path = "/api/verify/policy/" + race.string("policy").orElseThrow();
    JsonObject context = race.object("context").orElseThrow();
    List<Reply> replies =
        AtOnce.run(
            CALLERS,
            i -> {
              Calls calls = nodes.get(i % nodes.size()).withKey(first.key());
              JsonObject question =
                  JsonObject.builder().put("context", filled(context, agent, i, cap)).build();
              return calls.post(path, question);
            });
    long allowed = replies.stream().filter(reply -> reply.json().isTrue("allow")).count();
    assertThat(allowed).isEqualTo(cap);
    assertThat(replies.stream().map(Questions::code))
        .containsOnly("oap.allowed", race.string("denied").orElseThrow());
    // Nor does anybody get one afterwards, and the recorded allows are the answered ones.
    for (TestService node : nodes) {
      JsonObject late =
          JsonObject.builder().put("context", filled(context, agent, CALLERS, cap)).build();
      assertThat(Questions.code(node.withKey(first.key()).post(path, late)))
          .isEqualTo(race.string("denied").orElseThrow());
    }
    JsonArray recorded =
        Questions.records(first.owner(), "limit=200&kind=decision&allow=true&agent_id=" + agent);
    assertThat(recorded.size()).isEqualTo(cap);
  }

  /** Whoever opposes a client of this firm is refused; of two sides at most one is ever taken. */
  @TestFactory
  List<DynamicTest> neverTakesBothSides() {
    return List.of(
        dynamicTest("SQLite", () -> bothSides(alone)),
        dynamicTest("two nodes", () -> bothSides(pair)));
  }

  private static void bothSides(List<TestService> nodes) {
    TestService first = nodes.getFirst();
    String agent =
        Questions.hosted(
            first,
            first.org(),
            Calls.json(
                """
                {'name': 'Lawyer', 'assurance_level': 'L3',
                 'capabilities': [{'id': 'legal.contract.review'}],
                 'limits': {'legal.contract.review': {'allowed_document_types': ['*'],
                   'allowed_contract_jurisdictions': ['*'], 'max_contracts_per_day': 999,
                   'privilege_protection_enabled': false, 'require_matter_isolation': true}}}
                """));
    List<Boolean> allowed =
        AtOnce.run(
            CALLERS,
            i -> {
              String side =
                  i % 4 < 2
                      ? "'ada', 'opposing_party_id': 'bob'"
                      : "'bob', 'opposing_party_id': 'ada'";
              JsonObject question =
                  Calls.json(
                      """
                      {'context': {'agent_id': '%s', 'document_type': 'nda', 'jurisdiction': 'US',
                        'action_type': 'review', 'idempotency_key': 'key-number-%d',
                        'matter_id': 'm1', 'client_id': %s}}
                      """
                          .formatted(agent, i, side));
              Reply reply =
                  nodes
                      .get(i % nodes.size())
                      .withKey(first.key())
                      .post("/api/verify/policy/legal.contract.review.v1", question);
              assertThat(Questions.code(reply)).isIn("oap.allowed", "oap.conflict_of_interest");
              return reply.json().isTrue("allow");
            });
    var sides = new HashSet<Boolean>();
    IntStream.range(0, CALLERS).filter(allowed::get).forEach(i -> sides.add(i % 4 < 2));
    assertThat(sides).hasSize(1);
  }

  /** One decision, however many ask with one Idempotency-Key on however many nodes. */
  @TestFactory
  List<DynamicTest> decidesOnceUnderOneKey() {
    return List.of(
        dynamicTest("SQLite", () -> underOneKey(alone)),
        dynamicTest("two nodes", () -> underOneKey(pair)));
  }

  private static void underOneKey(List<TestService> nodes) {
    TestService first = nodes.getFirst();
    String agent = Questions.hosted(first, CALLERS);
    var decisions =
        new HashSet<>(
            AtOnce.run(
                CALLERS,
                i -> {
                  Calls calls = nodes.get(i % nodes.size()).withKey(first.key());
                  return calls
                      .with("Idempotency-Key", "all of them")
                      .post(Questions.MESSAGE + "?reserve=true", Questions.message(agent))
                      .string("reservation_id");
                }));
    assertThat(decisions).hasSize(1);
    assertThat(Questions.records(first.owner(), "kind=decision&agent_id=" + agent).size())
        .isEqualTo(1);
  }

  /** The object with the agent, the caller's number and the cap in their places. */
  private static JsonObject filled(JsonObject template, String agent, int caller, int cap) {
    String text =
        Json.text(template)
            .replace("${agent}", agent)
            .replace("${caller}", "" + caller)
            .replace("\"${cap}\"", "" + cap);
    return Calls.json(text.replace('"', '\''));
  }
}
