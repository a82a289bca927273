package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the cases that every pack's folder brings, and demands that they cover its rules. */
final class PackCasesTest {
  private static final Path POLICIES = Path.of("policies");

  @TestFactory
  Stream<DynamicTest> cases() throws Exception {
    var tests = new ArrayList<DynamicTest>();
    for (Path folder : folders()) {
      PolicyPack pack = TestPacks.read(folder);
      for (JsonObject one : casesOf(folder)) {
        String about = one.string("about").orElseThrow();
        tests.add(dynamicTest(pack.id() + ": " + about, () -> run(pack, one)));
      }
    }
    assertThat(tests).hasSizeGreaterThan(100);
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> everyRuleHasADenyAndEveryPackAnAllow() throws IOException {
    return folders().stream()
        .map(folder ->
            dynamicTest(
                folder.getFileName().toString(),
                () -> {
                  Set<String> denied = new HashSet<>();
                  boolean allowed = false;
                  for (JsonObject one : casesOf(folder)) {
                    for (JsonValue step : one.array("steps").orElseThrow()) {
                      ((JsonObject) step).string("rule").ifPresent(denied::add);
                      allowed |= ((JsonObject) step).isTrue("allow");
                    }
                  }
                  PolicyPack pack = TestPacks.read(folder);
                  assertThat(allowed).as("an allow").isTrue();
                  assertThat(denied).containsAll(pack.rules().stream().map(Rule::name).toList());
                }));
  }

  private static void run(PolicyPack pack, JsonObject one) {
    var session = new TestSession(pack, passport(one));
    session.reports(feeds(one));
    JsonArray steps = one.array("steps").orElseThrow();
    for (int i = 0; i < steps.size(); i++) {
      JsonObject step = (JsonObject) steps.get(i);
      session.carries(passport(step.has("passport") ? step : one));
      Outcome outcome = session.ask(step.object("context").orElseThrow());
      assertThat(outcome.reason().code())
          .as("step %s: %s", i, outcome.reason().message())
          .isEqualTo(step.string("code").orElseThrow());
      assertThat(outcome instanceof Outcome.Allow).isEqualTo(step.isTrue("allow"));
      if (step.has("rule")) {
        assertThat(outcome.reason().rule()).isEqualTo(step.string("rule"));
      }
      assertThat(outcome.reason().message()).isNotBlank();
    }
  }

  static Feeds feeds(JsonObject one) {
    var feeds = new HashMap<String, JsonObject>();
    one.object("feeds")
        .orElse(JsonObject.EMPTY)
        .forEach((name, feed) -> feeds.put(name, (JsonObject) feed));
    return new Feeds(feeds);
  }

  static JsonObject passport(JsonObject one) {
    JsonObject passport = one.object("passport").orElseThrow();
    return passport.string("status").equals(Optional.empty()) && !passport.has("status")
        ? passport.with("status", new JsonString("active"))
        : passport;
  }

  private static List<Path> folders() throws IOException {
    try (Stream<Path> all = Files.list(POLICIES)) {
      return all.filter(folder -> Files.exists(folder.resolve("policy.json"))).sorted().toList();
    }
  }

  static List<JsonObject> casesOf(Path folder) throws Exception {
    var cases = new ArrayList<JsonObject>();
    try (Stream<Path> files = Files.list(folder.resolve("cases"))) {
      for (Path file : files.sorted().toList()) {
        for (JsonValue one : (JsonArray) Json.parse(Files.readAllBytes(file))) {
          cases.add((JsonObject) one);
        }
      }
    }
    return cases;
  }
}
