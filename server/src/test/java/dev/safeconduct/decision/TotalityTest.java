package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.expression.Budget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whatever stands in passport and context, every pack answers, and without a fault of ours. */
final class TotalityTest {
  private static final String[] TEXTS = {
    "",
    "active",
    "*",
    "/",
    "/etc/passwd",
    "rm -rf /",
    "a;b|c",
    "https://a.example/x?y#z",
    "http://127.1",
    "\u0000",
    "\ud83d\ude00",
    "L2",
    "2026-11-21T12:00:00Z",
    "GET",
    "navigate",
    "text",
    "@everyone",
    "git status",
    "US",
    "EUR",
    "'\"`$(",
    "%2e%2e/",
    "x".repeat(3000)
  };

  @Test
  void anyDocumentGetsADecision() throws Exception {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(42);
    var faults = new ArrayList<Throwable>();
    PolicyDecisionPoint pdp = new PolicyDecisionPoint(Validators.all(), faults::add);
    for (Path folder : folders()) {
      PolicyPack pack = TestPacks.read(folder);
      for (int i = 0; i < 1500; i++) {
        Outcome outcome =
            pdp.decide(
                () ->
                    new DecisionRequest(
                        TestPacks.agent(passport(random, pack), pack, true),
                        DecisionRequest.Context.of(
                            object(random, List.copyOf(pack.contextSchema().fields()), 3)),
                        Usage.NONE,
                        dev.safeconduct.decision.Feeds.NONE,
                        Instant.parse("2026-11-21T12:00:00Z"),
                        random.nextBoolean(),
                        false),
                new Budget());
        assertThat(outcome.reason().code()).startsWith("oap.");
        assertThat(outcome.reason().message()).isNotBlank();
      }
    }
    assertThat(faults).isEmpty();
  }

  @Test
  void faultBeforeTheChecksDenies() {
    var faults = new ArrayList<Throwable>();
    var fault = new IllegalStateException("the passport cannot be compiled");
    Outcome outcome =
        new PolicyDecisionPoint(Validators.all(), faults::add)
            .decide(
                () -> {
                  throw fault;
                },
                new Budget());
    assertThat(outcome.isAllow()).isFalse();
    assertThat(outcome.reason().code()).isEqualTo("oap.policy_error");
    assertThat(faults).containsExactly(fault);
  }

  private static JsonObject passport(RandomGenerator random, PolicyPack pack) {
    var limitNames = List.copyOf(pack.document().object("limits").orElse(JsonObject.EMPTY).names());
    JsonObject limits = object(random, limitNames, 3);
    return JsonObject.builder()
        .put("status", "active")
        .put("assurance_level", "L4FIN")
        .put("capabilities", JsonArray.ofStrings(pack.capabilities()))
        .put("limits", random.nextInt(10) == 0 ? value(random, 2) : limits)
        .put("regions", value(random, 1))
        .put("mcp", value(random, 2))
        .build();
  }

  private static JsonObject object(RandomGenerator random, List<String> names, int depth) {
    JsonObject.Builder object = JsonObject.builder();
    for (String name : names) {
      if (random.nextInt(3) > 0) {
        object.put(name, value(random, depth - 1));
      }
    }
    return object.build();
  }

  private static JsonValue value(RandomGenerator random, int depth) {
    return switch (random.nextInt(depth <= 0 ? 6 : 9)) {
      case 0 -> JsonNull.NULL;
      case 1 -> JsonBoolean.of(random.nextBoolean());
      case 2 -> new JsonNumber(random.nextInt(-3, 5000));
      case 3 -> new JsonNumber(random.nextDouble() * 1e300);
      case 4, 5 -> new JsonString(TEXTS[random.nextInt(TEXTS.length)]);
      case 6 -> object(random, List.of("id", "a", "b", "sku", "EUR"), depth);
      default -> {
        var elements = new ArrayList<JsonValue>();
        for (int i = random.nextInt(4); i > 0; i--) {
          elements.add(value(random, depth - 1));
        }
        yield new JsonArray(elements);
      }
    };
  }

  private static List<Path> folders() throws Exception {
    try (Stream<Path> all = Files.list(Path.of("policies"))) {
      return all.filter(folder -> Files.exists(folder.resolve("policy.json"))).sorted().toList();
    }
  }
}
