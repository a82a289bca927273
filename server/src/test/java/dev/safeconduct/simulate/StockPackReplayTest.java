package dev.safeconduct.simulate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.app.BuiltInPacks;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.TemplateChain;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The records of every built-in pack hold what an evaluation needs, and nothing else. */
final class StockPackReplayTest {
  /** What callers send too much, as the packs do not declare it. */
  private static final JsonObject TOO_MUCH =
      Calls.json(
          "{'note_of_caller': 'call Ann', 'card': {'number': '4111111111111111', 'cvv': 123},"
              + " 'params': {'trace': 'Zq7vX9pLw2Rt'}}");

  private static final JsonValue MARKED = new JsonString(Redaction.MARK + "]");

  private static final PolicyCatalog PACKS = BuiltInPacks.catalog();

  @TempDir private Path folder;

  static Stream<String> packs() {
    return PACKS.all().stream().map(pack -> pack.id().value()).sorted();
  }

  private static List<JsonObject> vectors(String pack) {
    try (InputStream in =
        StockPackReplayTest.class.getResourceAsStream("/vectors/" + pack + ".jsonl")) {
      var vectors = new ArrayList<JsonObject>();
      for (String line : new String(in.readAllBytes(), UTF_8).lines().toList()) {
        vectors.add((JsonObject) Json.parse(line));
      }
      return vectors;
    } catch (IOException | JsonFault e) {
      throw new AssertionError(pack, e);
    }
  }

  private static List<JsonObject> steps(JsonObject vector) {
    return vector.array("steps").orElseThrow().elements().stream()
        .map(JsonObject.class::cast)
        .toList();
  }

  private static CaseEvaluator evaluator(PolicyPack pack) {
    return new CaseEvaluator(
        pack, new Evaluator(new PolicyDecisionPoint(Validators.all(), _ -> {}), () -> Feeds.NONE));
  }

  private static String said(Outcome outcome) {
    return outcome.isAllow() + " " + outcome.reason().code();
  }

  private static PolicyPack pack(String id) {
    return PACKS.find(id).orElseThrow();
  }

  /** Decisions of every pack are recorded, and then judged again by their records alone. */
  @Test
  void allowedDecisionsCanBeReplayedAndPreviewed() throws Exception {
    Map<String, String> settings = Map.of("DATA_DIR", folder.resolve("data").toString());
    try (TestService service = TestService.start(folder.resolve("data"), settings)) {
      for (String pack : packs().toList()) {
        List<JsonObject> allowed =
            vectors(pack).stream()
                .filter(vector -> steps(vector).getFirst().isTrue("allow"))
                .limit(4)
                .toList();
        assertThat(allowed).as(pack).hasSizeGreaterThan(1);
        for (JsonObject vector : allowed) {
          ask(service, pack(pack), vector);
        }
        CommandRun replay =
            CommandRun.replay(
                settings, "--pack", "policies/" + pack, "--from", "2026-01-01", "--ndjson");
        assertThat(replay.err()).as(pack).isEmpty();
        assertThat(replay.out()).as("what differs or cannot be judged by " + pack).isEmpty();
      }
    }
  }

  private static void ask(TestService service, PolicyPack pack, JsonObject vector) {
    String agent = Questions.freshAgent();
    JsonObject passport = vector.object("passport").orElseThrow();
    Reply made =
        service
            .admin()
            .post(
                "/api/passports?org_id=" + service.org(),
                passport.toBuilder().put("agent_id", agent).put("name", "Vector").build());
    if (made.status() == 400) {
      return; // a passport that no issuance takes, on purpose
    }
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    JsonObject hosted = service.owner().get("/api/passports/" + agent).json();
    CaseEvaluator preview = evaluator(pack);
    for (JsonObject step : steps(vector)) {
      JsonObject context =
          step.object("context").orElseThrow().toBuilder().putAll(TOO_MUCH).build();
      Reply reply =
          service
              .owner()
              .post(
                  "/api/verify/policy/" + pack.id().value(),
                  JsonObject.builder()
                      .put("context", context.with("agent_id", new JsonString(agent)))
                      .build());
      String told = reply.json().isTrue("allow") + " " + Questions.code(reply);
      assertThat(told)
          .as(vector.string("name").orElseThrow())
          .isEqualTo(step.isTrue("allow") + " " + step.string("code").orElseThrow());
      JsonObject record = service.owner().get("/api/audit/" + reply.string("decision_id")).json();
      assertThat(Json.text(record))
          .doesNotContain("call Ann")
          .doesNotContain("4111111111111111")
          .doesNotContain("Zq7vX9pLw2Rt");
      Decision decision = DecisionJson.read(record.object("body").orElseThrow()).orElseThrow();
      RecordedContext recorded =
          RecordedContext.of(
              record.object("details").flatMap(details -> details.object("context")).orElseThrow(),
              decision,
              pack);
      assertThat(recorded.missing()).as(vector + "\n" + record).isEmpty();
      Outcome again =
          preview.evaluate(
              new CaseEvaluator.Question(
                  JudgedPassport.of(hosted),
                  TemplateChain.NONE,
                  recorded.context(),
                  Optional.empty(),
                  decision.validity().issuedAt()),
              new CaseEvaluator.StepLimit());
      preview.charge(again);
      assertThat(said(again)).isEqualTo(told);
    }
  }

  /** Redaction of what the rules do not name changes no outcome. */
  @ParameterizedTest
  @MethodSource("packs")
  void theRulesNameWhatTheyRead(String id) {
    PolicyPack pack = pack(id);
    var reads = new PackReads(pack);
    for (JsonObject vector : vectors(id)) {
      JudgedPassport passport = JudgedPassport.of(vector.object("passport").orElseThrow());
      CaseEvaluator whole = evaluator(pack);
      CaseEvaluator redacted = evaluator(pack);
      for (JsonObject step : steps(vector)) {
        JsonObject context = step.object("context").orElseThrow();
        JsonObject.Builder rest = JsonObject.builder();
        context.forEach((name, value) -> {
          if (reads.reads(name)) {
            rest.put(name, value);
          } else if (pack.contextSchema().declares(name)) {
            rest.put(name, value instanceof JsonString ? MARKED : value);
          }
        });
        assertThat(judged(redacted, passport, rest.build()))
            .as(vector.string("name").orElseThrow() + " " + context)
            .isEqualTo(judged(whole, passport, context));
      }
    }
  }

  private static String judged(
      CaseEvaluator evaluator, JudgedPassport passport, JsonObject context) {
    Outcome outcome =
        evaluator.evaluate(
            new CaseEvaluator.Question(
                passport,
                TemplateChain.NONE,
                context,
                Optional.empty(),
                Instant.parse("2026-11-20T10:00:00Z")),
            new CaseEvaluator.StepLimit());
    evaluator.charge(outcome);
    return said(outcome);
  }
}
