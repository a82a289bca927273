package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.policy.schema.ContextSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * For every deny code of every pack, the trace ends at the check that failed and shows the values
 * it compared. The denies are the packs' own cases, and for the checks all packs have, an allowed
 * case with one thing taken away.
 */
final class ExplainTest {
  private static final Path POLICIES = Path.of("policies");

  /** One deny and where it comes from. */
  private record Deny(String about, Outcome.Deny outcome, JsonObject passport, JsonObject context) {
    Check failed() {
      return outcome.trace().getLast();
    }
  }

  @TestFactory
  Stream<DynamicTest> everyDenyCodeOfEveryPack() throws IOException {
    return folders().stream()
        .map(folder -> dynamicTest(folder.getFileName().toString(), () -> explains(folder)));
  }

  private static void explains(Path folder) throws Exception {
    PolicyPack pack = TestPacks.read(folder);
    Set<String> wanted = new HashSet<>(List.of("oap.passport_suspended", "oap.passport_expired"));
    wanted.addAll(List.of("oap.unknown_capability", "oap.assurance_insufficient"));
    wanted.addAll(List.of("oap.invalid_context", "oap.region_blocked"));
    if (pack.mcpEnforced()) {
      wanted.addAll(List.of("oap.server_not_allowed", "oap.tool_not_allowed"));
    }
    if (pack.approvalGate()) {
      wanted.add("oap.approval_required");
    }
    pack.rules().forEach(rule -> wanted.add(rule.denyCode()));
    Set<String> seen = new HashSet<>();
    for (Deny deny : denies(pack, folder)) {
      explains(pack, deny);
      seen.add(deny.outcome().reason().code());
    }
    assertThat(seen).containsAll(wanted);
  }

  private static void explains(PolicyPack pack, Deny deny) {
    List<Check> trace = deny.outcome().trace();
    Check failed = deny.failed();
    assertThat(trace.subList(0, trace.size() - 1)).as(deny.about()).allMatch(Check::passed);
    assertThat(failed.passed()).as(deny.about()).isFalse();
    Optional<String> ruleName = deny.outcome().reason().rule();
    if (ruleName.isEmpty()) {
      boolean shows =
          failed.further().has("passport")
              || !failed.limits().picked().isEmpty()
              || !failed.context().picked().isEmpty();
      // Only a fault of the request's form has nothing to show but its message.
      assertThat(shows).as(deny.about() + " " + failed).isTrue();
      return;
    }
    assertThat(failed.name()).as(deny.about()).isEqualTo(ruleName.get());
    Rule rule =
        pack.rules().stream().filter(one -> one.name().equals(ruleName.get())).findFirst().get();
    assertThat(rule.limits().size() + rule.fields().size()).as(rule.name()).isPositive();
    JsonObject context =
        ((ContextSchema.Checked.Sound) pack.contextSchema().check(deny.context(), new Budget()))
            .context();
    JsonObject limits =
        pack.perValue()
            .resolve(
                TestPacks.agent(deny.passport(), pack, true).compiled().limits().values(), context);
    assertThat(failed.limits().picked().names())
        .as(deny.about())
        .containsExactlyElementsOf(rule.limits());
    assertThat(failed.context().picked().names())
        .as(deny.about())
        .containsExactlyElementsOf(rule.fields());
    rule.limits().forEach(name -> shows(deny, failed.limits().picked(), limits, name));
    rule.fields().forEach(name -> shows(deny, failed.context().picked(), context, name));
  }

  private static void shows(Deny deny, JsonObject shown, JsonObject from, String name) {
    JsonValue value = from.get(name);
    assertThat(shown.get(name)).as(deny.about()).isEqualTo(value == null ? JsonNull.NULL : value);
  }

  private static List<Deny> denies(PolicyPack pack, Path folder) throws Exception {
    var denies = new ArrayList<Deny>();
    boolean varied = false;
    for (JsonObject one : PackCasesTest.casesOf(folder)) {
      JsonObject passport = PackCasesTest.passport(one);
      var session = new TestSession(pack, passport);
      session.reports(PackCasesTest.feeds(one));
      for (JsonValue step : one.array("steps").orElseThrow()) {
        JsonObject context = ((JsonObject) step).object("context").orElseThrow();
        Outcome outcome = session.ask(context);
        String about = one.string("about").orElseThrow() + " " + context;
        if (outcome instanceof Outcome.Deny deny) {
          denies.add(new Deny(about, deny, passport, context));
        } else if (!varied) {
          varied = true;
          denies.addAll(variations(pack, passport, context));
        }
      }
    }
    return denies;
  }

  /** What was allowed, with one thing wrong that every pack looks at. */
  private static List<Deny> variations(PolicyPack pack, JsonObject passport, JsonObject context) {
    JsonValue nowhere = new JsonString("nowhere");
    JsonObject barred = passport.with("mcp", JsonObject.EMPTY);
    String container = pack.containers().getFirst();
    JsonObject limits = TestPacks.agent(passport, pack, true).compiled().limits().values();
    var all = new ArrayList<Deny>();
    all.add(
        denied(pack, "suspended", passport.with("status", new JsonString("suspended")), context));
    all.add(
        denied(
            pack,
            "expired",
            passport
                .with("expires_at", new JsonString("2020-01-01T00:00:00Z"))
                .without("never_expires"),
            context));
    all.add(denied(pack, "no capability", passport.with("capabilities", JsonArray.EMPTY), context));
    all.add(denied(pack, "unknown level", passport.with("assurance_level", nowhere), context));
    all.add(denied(pack, "no list", passport, context.with("mcp_servers", new JsonNumber(5))));
    if (pack.mcpEnforced()) {
      all.add(denied(pack, "server", barred, context.with("mcp_server", nowhere)));
      all.add(denied(pack, "tool", barred, context.with("mcp_tool", nowhere)));
    }
    all.add(
        denied(
            pack,
            "region",
            passport.with("regions", JsonArray.of(new JsonString("XX"))),
            context.with("region", nowhere)));
    if (pack.approvalGate()) {
      JsonObject gated =
          JsonObject.builder()
              .put(container, limits.with("approval_required", new JsonString("always")))
              .build();
      all.add(denied(pack, "approval", passport.with("limits", gated), context));
    }
    return all;
  }

  private static Deny denied(
      PolicyPack pack, String about, JsonObject passport, JsonObject context) {
    Outcome outcome = new TestSession(pack, passport).judge(context, Usage.NONE);
    assertThat(outcome).as(about + ": " + Json.text(context)).isInstanceOf(Outcome.Deny.class);
    return new Deny(about, (Outcome.Deny) outcome, passport, context);
  }

  private static List<Path> folders() throws IOException {
    try (Stream<Path> all = Files.list(POLICIES)) {
      return all.filter(folder -> Files.exists(folder.resolve("policy.json"))).sorted().toList();
    }
  }
}
