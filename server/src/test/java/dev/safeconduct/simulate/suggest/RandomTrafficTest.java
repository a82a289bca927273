package dev.safeconduct.simulate.suggest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.safeconduct.app.BuiltInPacks;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.simulate.CaseReader;
import dev.safeconduct.simulate.MemoryCounters;
import dev.safeconduct.simulate.PolicyCase;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.verify.EvaluatedContext;
import dev.safeconduct.verify.Evaluator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * For passports and traffic of every pack, taken at random from the packs' cases: what was allowed
 * stays allowed, nothing more is allowed, and the suggestion for the suggestion is the same.
 *
 * <p>{@code -Dsuggest.runs=N} makes N runs, pack after pack, {@code -Dsuggest.seed=S} others,
 * {@code -Dsuggest.contexts=C} compares C contexts each ({@code make test-suggest}). Each run draws
 * from a source of its own: {@code -Dsuggest.first=R} begins with run R, to repeat one that failed.
 */
final class RandomTrafficTest {
  private static final int QUESTIONS = 12;
  private static final int TRIED = Integer.getInteger("suggest.contexts", 200);
  private static final List<String> MEMBERS = List.of("capabilities", "limits", "regions", "mcp");

  /** A service is replaced after so many runs, as its log grows. */
  private static final int RUNS_OF_A_SERVICE = 440;

  private static final int TOLD_EACH = 100;
  private static final long SEED = Long.getLong("suggest.seed", 24);
  private static final int FIRST = Integer.getInteger("suggest.first", 0);

  private final Map<String, Traffic> traffic = new HashMap<>();
  private Random random = new Random(SEED);
  private final Evaluator evaluator =
      new Evaluator(new PolicyDecisionPoint(Validators.all(), _ -> {}), () -> Feeds.NONE);
  private final TreeSet<String> narrowed = new TreeSet<>();

  @Test
  void allowsWhatWasAllowedAndNothingMore() throws Exception {
    List<PolicyPack> packs = List.copyOf(BuiltInPacks.catalog().all());
    int runs = Integer.getInteger("suggest.runs", packs.size());
    if (runs > packs.size()) {
      System.out.println("seed " + SEED + ", " + runs + " runs, " + TRIED + " contexts each");
    }
    for (int done = 0; done < runs; ) {
      try (TestService service = TestService.start()) {
        int end = Math.min(runs, done + RUNS_OF_A_SERVICE);
        while (done < end) {
          checked(service, FIRST + done, packs);
          done++;
          if (done % TOLD_EACH == 0 || (done == runs && runs > packs.size())) {
            System.out.println(done + " runs passed");
          }
        }
      }
    }
    if (runs >= packs.size()) {
      assertThat(narrowed).as("packs whose limits were narrowed").hasSizeGreaterThanOrEqualTo(15);
    }
  }

  private void checked(TestService service, int number, List<PolicyPack> packs) throws Exception {
    random = new Random(SEED + number * 0x9E3779B97F4A7C15L);
    try {
      run(service, packs.get(number % packs.size()));
    } catch (AssertionError e) {
      throw new AssertionError("run " + number + " of seed " + SEED + ": " + e.getMessage(), e);
    }
  }

  private void run(TestService service, PolicyPack pack) throws Exception {
    Traffic of = traffic.get(pack.id().value());
    if (of == null) {
      of = Traffic.of(pack);
      traffic.put(pack.id().value(), of);
    }
    List<JsonObject> passports = of.passports();
    List<JsonObject> contexts = of.contexts();
    String agent = "";
    for (int i = 0; i < 20 && agent.isEmpty(); i++) {
      agent = issue(service, randomPassport(passports));
    }
    assertThat(agent).as(pack.id().value()).isNotEmpty();
    for (int i = 0; i < QUESTIONS; i++) {
      ask(service, pack, agent, contexts.get(random.nextInt(contexts.size())));
    }

    JsonObject before = service.owner().get("/api/passports/" + agent).json();
    JsonObject suggestion = suggest(service, agent);
    String about = pack.id() + " " + Json.text(before) + " " + Json.text(suggestion);
    assertThat(suggestion.object("replayed").orElseThrow().array("newly_denied").orElseThrow())
        .as(about)
        .isEmpty();
    JsonObject change = suggestion.only(MEMBERS);
    if (!Objects.equals(change.get("limits"), before.get("limits"))) {
      narrowed.add(pack.id().value());
    }

    Reply applied = service.owner().patch("/api/passports/" + agent, Json.text(change));
    assertThat(applied.status()).as(applied + " " + about).isEqualTo(200);
    JsonObject after = service.owner().get("/api/passports/" + agent).json();
    assertThat(suggest(service, agent).only(MEMBERS))
        .as(about)
        .isEqualTo(change.only(List.of("capabilities", "limits")));
    Judge narrow = judge(after);
    Judge wide = judge(before);
    for (int i = 0; i < TRIED; i++) {
      JsonObject context = mixed(contexts);
      if (allows(narrow, pack, context) && !allows(wide, pack, context)) {
        fail("wider for " + Json.text(context) + " " + about);
      }
    }
  }

  /** A passport of a case, often with some limits of another one's. */
  private JsonObject randomPassport(List<JsonObject> passports) {
    JsonObject one = passports.get(random.nextInt(passports.size()));
    JsonObject other = passports.get(random.nextInt(passports.size()));
    JsonObject limits = one.object("limits").orElse(JsonObject.EMPTY);
    JsonObject others = other.object("limits").orElse(JsonObject.EMPTY);
    for (String container : others.names()) {
      JsonValue value = Objects.requireNonNull(others.get(container));
      if (limits.get(container) instanceof JsonObject mine && value instanceof JsonObject theirs) {
        limits = limits.with(container, mixed(mine, theirs));
      } else if (random.nextInt(3) == 0) {
        limits = limits.with(container, value);
      }
    }
    return one.with("limits", limits);
  }

  /** The passports that allow something, and the contexts, of a pack's cases. */
  private record Traffic(List<JsonObject> passports, List<JsonObject> contexts) {
    static Traffic of(PolicyPack pack) throws IOException {
      var passports = new ArrayList<JsonObject>();
      var contexts = new ArrayList<JsonObject>();
      for (PolicyCase each : cases(pack)) {
        if (each.steps().stream().anyMatch(step -> step.allow().orElse(false))) {
          each.passport().ifPresent(passports::add);
        }
        each.steps().forEach(step -> contexts.add(step.context()));
      }
      return new Traffic(passports, contexts);
    }
  }

  private static List<PolicyCase> cases(PolicyPack pack) throws IOException {
    var cases = new ArrayList<PolicyCase>();
    try (Stream<Path> files = Files.list(Path.of("policies", pack.id().value(), "cases"))) {
      for (Path file : files.sorted().toList()) {
        cases.addAll(CaseReader.read(Files.readAllBytes(file)));
      }
    } catch (CaseReader.CaseFault e) {
      throw new AssertionError(e);
    }
    return cases;
  }

  /** Returns the agent's id; empty if no passport can be like that of the case. */
  private static String issue(TestService service, JsonObject of) {
    JsonObject asked = of.only(MEMBERS).with("name", new JsonString("Random"));
    Reply made = service.owner().post("/api/passports", asked);
    if (made.status() != 201) {
      return "";
    }
    String agent = made.string("agent_id");
    of.string("assurance_level")
        .filter(level -> !level.equals("L0"))
        .ifPresent(level ->
            service
                .admin()
                .post(
                    "/api/admin/assurance",
                    Calls.json(
                        "{'agent_id': '%s', 'assurance_level': '%s', 'method': 'test'}"
                            .formatted(agent, level))));
    return agent;
  }

  private static void ask(TestService service, PolicyPack pack, String agent, JsonObject context) {
    JsonObject sent = context.with("agent_id", new JsonString(agent));
    if (sent.has("idempotency_key")) {
      sent = sent.with("idempotency_key", new JsonString(UUID.randomUUID().toString()));
    }
    Reply reply =
        service
            .owner()
            .post(
                "/api/verify/policy/" + pack.id(),
                JsonObject.builder().put("context", sent).build());
    Questions.code(reply);
  }

  private static JsonObject suggest(TestService service, String agent) {
    Reply reply = service.owner().post("/api/passports/" + agent + "/suggest", "{}");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.json();
  }

  /** A context with each member from one of two contexts. */
  private JsonObject mixed(List<JsonObject> contexts) {
    return mixed(
        contexts.get(random.nextInt(contexts.size())),
        contexts.get(random.nextInt(contexts.size())));
  }

  private JsonObject mixed(JsonObject one, JsonObject other) {
    JsonObject mixed = one;
    for (String name : other.names()) {
      if (random.nextInt(3) == 0) {
        mixed = mixed.with(name, Objects.requireNonNull(other.get(name)));
      }
    }
    return mixed;
  }

  private Judge judge(JsonObject document) {
    var passport =
        new Passport(
            new AgentId(document.string("agent_id").orElseThrow()),
            new OrgId("org_test"),
            Optional.empty(),
            "Random",
            PassportStatus.ACTIVE,
            1,
            Instant.EPOCH,
            document);
    return new Judge(evaluator, new MemoryCounters(), passport, document);
  }

  private static boolean allows(Judge judge, PolicyPack pack, JsonObject context) {
    var item =
        new Evidence.Item.Known(
            new UUID(0, 0),
            Instant.parse("2026-11-21T12:00:00Z"),
            pack,
            EvaluatedContext.of(pack, context),
            false,
            Optional.empty());
    return judge.outcome(item, false).isAllow();
  }
}
