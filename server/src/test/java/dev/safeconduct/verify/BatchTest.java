package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Batches.BATCH;
import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Batches;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.RawJson;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.SignedText;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each evaluation of a batch is answered as if it were asked alone, in the order of the list. */
final class BatchTest {
  @AutoClose
  private static final EachStore.Services services = new EachStore.Services(new MovableClock());

  private static List<JsonObject> oneOfEach(String agent) {
    return List.of(
        Batches.command(agent, "git status"),
        Batches.command(agent, "rm -rf /"),
        Batches.message(agent),
        Batches.of(
            "system.command.execute.v1",
            Calls.json("{'agent_id': '" + agent + "', 'context': {'params': {'command': 'ls'}}}")),
        Batches.of(
            "system.command.execute.v1",
            Questions.command("ap_sent", "git").with("passport", Questions.passport("ap_sent", 5))),
        Batches.of(
            "IN_BODY",
            Questions.command(agent, "ls")
                .with("policy", Calls.json("{'id': 'mine.v1', 'name': 'Mine'}"))),
        Batches.command("ap_unknown", "ls"),
        Batches.of("unknown.v1", Questions.command(agent, "ls")),
        Batches.of("IN_BODY", Questions.command(agent, "ls")),
        Batches.of("system.command.execute.v1", Calls.json("{'context': {'command': 'ls'}}")),
        Batches.of(
            "system.command.execute.v1",
            Questions.command(agent, "ls").with("agent_id", new JsonString("ap_other"))));
  }

  @ParameterizedTest
  @EnumSource
  void eachIsAnsweredAsItWouldBeAlone(EachStore store) {
    TestService service = services.on(store);
    List<JsonObject> evaluations = oneOfEach(Questions.hosted(service, 100));
    for (String query : List.of("", "?explain=true", "?dry_run=true", "?dry_run=true&explain=1")) {
      Reply reply = service.owner().post(BATCH + query, Batches.of(evaluations));
      List<JsonObject> answers = Batches.decisions(reply);
      var alone = new ArrayList<JsonObject>();
      for (JsonObject evaluation : evaluations) {
        String path = "/api/verify/policy/" + evaluation.string("policy_id").orElseThrow() + query;
        Reply one = service.owner().post(path, evaluation.without("policy_id"));
        alone.add(
            one.status() == 200
                ? one.json()
                : JsonObject.builder().put("allow", false).put("error", one.json()).build());
      }
      assertThat(answers.stream().map(BatchTest::lasting).toList())
          .isEqualTo(alone.stream().map(BatchTest::lasting).toList());
      assertThat(Batches.outcomes(answers))
          .startsWith("oap.allowed", "oap.command_not_allowed", "oap.allowed", "oap.allowed")
          .endsWith("404", "404", "400", "400", "400");
      assertThat(reply.header("Server-Timing").orElseThrow())
          .matches("auth;dur=.*, policy;dur=.*, usage;dur=.*, sign;dur=.*, store;dur=.*");
      assertThat(reply.header("Idempotent-Replayed")).isEmpty();
    }
  }

  /** What two answers to one question have in common; the clock stands. */
  private static JsonObject lasting(JsonObject answer) {
    JsonObject.Builder lasting = JsonObject.builder();
    answer.forEach((name, value) -> {
      if (!List.of("decision_id", "log_index", "signature", "request_id", "path").contains(name)) {
        lasting.put(name, value instanceof JsonObject inner ? lasting(inner) : value);
      }
    });
    return lasting.build();
  }

  @ParameterizedTest
  @EnumSource
  void whatTheFirstTakesOfACapIsGoneForTheNext(EachStore store) {
    TestService service = services.on(store);
    for (int cap : new int[] {1, 5, 39}) {
      String agent = Questions.hosted(service, cap);
      String other = Questions.hosted(service, 100);
      var evaluations = new ArrayList<JsonObject>();
      for (int i = 0; i < 40; i++) {
        evaluations.add(Batches.message(agent));
        evaluations.add(Batches.command(agent, "git log -" + i));
        evaluations.add(Batches.message(i == 7 ? "ap_unknown" : other));
        if (evaluations.size() > 96) {
          break;
        }
      }
      List<JsonObject> answers =
          Batches.decisions(service.owner().post(BATCH, Batches.of(evaluations)));
      assertThat(answers).hasSameSizeAs(evaluations);
      long newest = -1;
      for (int i = 0; i < answers.size(); i++) {
        String wanted =
            i == 3 * 7 + 2
                ? "404"
                : i % 3 > 0 || i / 3 < cap ? "oap.allowed" : "oap.rate_limit_exceeded";
        assertThat(Batches.outcome(answers.get(i))).as("%s of %s", i, cap).isEqualTo(wanted);
        if (i % 3 == 0) {
          long index = Questions.number(answers.get(i), "log_index");
          assertThat(index).isGreaterThan(newest);
          newest = index;
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDryRunTakesNothing(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 1);
    JsonObject three =
        Batches.of(Batches.message(agent), Batches.message(agent), Batches.message(agent));
    for (int i = 0; i < 2; i++) {
      assertThat(
              Batches.outcomes(
                  Batches.decisions(service.owner().post(BATCH + "?dry_run=true", three))))
          .containsOnly("oap.allowed");
    }
    assertThat(Batches.outcomes(Batches.decisions(service.owner().post(BATCH, three))))
        .containsExactly("oap.allowed", "oap.rate_limit_exceeded", "oap.rate_limit_exceeded");
  }

  @ParameterizedTest
  @EnumSource
  void eachHasItsOwnIdempotencyKey(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 2);
    JsonObject first = Batches.message(agent).with("idempotency_key", new JsonString(agent));
    JsonObject command = Batches.command(agent, "ls").with("idempotency_key", new JsonString("c"));
    JsonObject taken = Batches.command(agent, "git").with("idempotency_key", new JsonString("c"));
    Reply reply =
        service.owner().post(BATCH, Batches.of(first, command, first, taken, command, first));
    List<JsonObject> answers = Batches.decisions(reply);
    assertThat(Batches.outcomes(answers))
        .containsExactly(
            "oap.allowed", "oap.allowed", "oap.allowed", "409", "oap.allowed", "oap.allowed");
    assertThat(reply.header("Idempotent-Replayed"))
        .contains("false, false, true, false, true, true");
    assertThat(answers.get(2)).isEqualTo(answers.get(0)).isEqualTo(answers.get(5));
    // Asked alone it is the same request, and it was counted once.
    Reply alone = service.owner().post(MESSAGE, first.without("policy_id"));
    assertThat(alone.header("Idempotent-Replayed")).contains("true");
    assertThat(alone.string("decision_id")).isEqualTo(answers.get(0).string("decision_id").get());
    assertThat(Batches.outcomes(Batches.ask(service.owner(), Batches.message(agent), first)))
        .containsExactly("oap.allowed", "oap.allowed");
    assertThat(Questions.code(service.owner().post(MESSAGE, Questions.message(agent))))
        .isEqualTo("oap.rate_limit_exceeded");
  }

  @ParameterizedTest
  @EnumSource
  void everyDecisionIsRecordedAndItsSignatureGood(EachStore store) throws Exception {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 20);
    var evaluations = new ArrayList<JsonObject>();
    IntStream.range(0, 10)
        .forEach(i -> {
          evaluations.add(Batches.command(agent, (i % 2 == 0 ? "git " : "rm ") + i));
          evaluations.add(Batches.message(agent));
        });
    JsonObject body = Batches.of(evaluations);
    var ids = new HashSet<String>();
    for (String query : List.of("", "?explain=true", "?dry_run=true", "?reserve=true")) {
      for (String prefer : List.of("return=minimal", "")) {
        Reply reply = service.owner().with("Prefer", prefer).post(BATCH + query, body);
        boolean minimal = !prefer.isEmpty() && !query.equals("?reserve=true");
        String list = RawJson.member(RawJson.members(reply.text()), "decisions");
        for (String answer : RawJson.elements(list)) {
          assertThat(answer.contains("\"decision\":")).as(answer).isEqualTo(!minimal);
          String decision = minimal ? answer : RawJson.member(RawJson.members(answer), "decision");
          assertThat(SignedText.of(service, decision).isGood()).as(decision).isTrue();
          JsonObject signed = (JsonObject) Json.parse(decision);
          String id = signed.string("decision_id").orElseThrow();
          assertThat(ids.add(id)).isTrue();
          assertThat(service.owner().get("/api/decisions/" + id).json().object("decision"))
              .contains(signed);
        }
      }
    }
    assertThat(ids).hasSize(8 * 20);
  }

  @ParameterizedTest
  @EnumSource
  void aReservationAndAProofStandInEachAnswer(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 2);
    JsonObject three =
        Batches.of(Batches.message(agent), Batches.message(agent), Batches.message(agent));
    List<JsonObject> answers =
        Batches.decisions(service.owner().post(BATCH + "?reserve=true&proof=true", three));
    assertThat(answers).allMatch(answer -> answer.string("proof").isPresent());
    assertThat(answers.get(2).has("reservation_id")).isFalse();
    String reservation = answers.get(1).string("reservation_id").orElseThrow();
    assertThat(reservation).isNotEqualTo(answers.get(0).string("reservation_id").orElseThrow());
    assertThat(service.owner().post("/api/usage/" + reservation + "/release", "").status())
        .isEqualTo(200);
    assertThat(Batches.outcomes(Batches.ask(service.owner(), Batches.message(agent))))
        .containsExactly("oap.allowed");
  }

  @ParameterizedTest
  @EnumSource
  void aSuspensionIsHeardAtOnce(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 9);
    Questions.status(service, agent, "suspended");
    assertThat(
            Batches.outcomes(
                Batches.ask(service.owner(), Batches.message(agent), Batches.command(agent, "ls"))))
        .containsOnly("oap.passport_suspended");
    assertThat(Questions.code(service.owner().post(COMMAND, Questions.command(agent, "ls"))))
        .isEqualTo("oap.passport_suspended");
  }
}
