package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.testkit.CaseSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** The checks around every pack's rules (pack catalogue 0.2 to 0.11). */
final class CommonChecksTest {
  private static final String PACK =
      """
      {"id": "acme.stock.adjust.v1", "requires_capabilities": ["messaging.send"], "min_assurance": "L1",
       "limits_containers": ["acme.stock", "stock"], "limits": {"max_items": {"type": "number"}},
       "required_context": {"type": "object", "required": ["items"],
         "properties": {"items": {"type": "integer"}}},
       "evaluation_rules": [{"name": "size", "deny_code": "oap.limit_exceeded",
         "condition": "context.items <= limits.max_items"}],
       "mcp": {"require_allowlisted_if_present": true}, "approval_gate": true}
      """;
  private static final String PASSPORT =
      """
      {"status": "active", "assurance_level": "L2", "capabilities": ["messaging.send"],
       "limits": {"acme.stock": {"max_items": 5}}, "regions": [" us ", "EU-DE", "12"],
       "mcp": {"servers": ["https://a.example"], "tools": ["*"]}}
      """;

  @ParameterizedTest
  @CaseSource("common-checks.json")
  void thePassportDecides(JsonObject changed, String code) throws Exception {
    assertThat(code(passportWith(changed), json("{\"items\":5}"))).isEqualTo(code);
  }

  @ParameterizedTest
  @CaseSource("common-checks.json")
  void theContextDecides(JsonObject context, String code) throws Exception {
    assertThat(code(json(PASSPORT), context)).isEqualTo(code);
  }

  @Test
  void anInstanceOfAnInactiveTemplateIsSuspended() throws Exception {
    DecisionRequest request =
        new DecisionRequest(
            TestPacks.agent(json(PASSPORT), TestPacks.parse(PACK), false),
            DecisionRequest.Context.of(json("{\"items\":5}")),
            Usage.NONE,
            dev.safeconduct.decision.Feeds.NONE,
            java.time.Instant.parse("2026-11-21T12:00:00Z"),
            false,
            false);
    Outcome outcome =
        new PolicyDecisionPoint(Validators.all(), _ -> {}).decide(() -> request, new Budget());
    assertThat(outcome.reason().code()).isEqualTo("oap.passport_suspended");
  }

  @Test
  void theFirstFailureWinsAndTheTraceEndsThere() throws Exception {
    PolicyPack pack = TestPacks.parse(PACK);
    TestSession session = new TestSession(pack, passportWith(json("{\"assurance_level\":\"L0\"}")));
    Outcome outcome = session.ask(json("{\"items\":\"many\"}"));
    assertThat(outcome.reason().code()).isEqualTo("oap.assurance_insufficient");
    assertThat(outcome.trace()).last().matches(check -> !check.passed());
    assertThat(outcome.trace()).extracting(Check::name).doesNotContain("context", "size");
    Outcome sized = new TestSession(pack, json(PASSPORT)).ask(json("{\"items\":6}"));
    Check last = sized.trace().getLast();
    assertThat(last.name()).isEqualTo("size");
    assertThat(last.limits().picked()).isEqualTo(json("{\"max_items\":5}"));
    assertThat(last.context().picked()).isEqualTo(json("{\"items\":6}"));
  }

  private static String code(JsonObject passport, JsonObject context) throws Exception {
    Outcome outcome = new TestSession(TestPacks.parse(PACK), passport).ask(context);
    assertThat(outcome instanceof Outcome.Allow)
        .isEqualTo(outcome.reason().code().equals(ReasonCode.ALLOWED.wire()));
    return outcome.reason().code();
  }

  private static JsonObject passportWith(JsonObject changed) throws JsonFault {
    return json(PASSPORT).toBuilder().putAll(changed).build();
  }

  private static JsonObject json(String text) throws JsonFault {
    return (JsonObject) Json.parse(text);
  }
}
