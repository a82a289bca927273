package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.usage.Usage;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{} | oap.allowed",
        "{\"status\":\"suspended\"} | oap.passport_suspended",
        "{\"status\":\"revoked\"} | oap.passport_suspended",
        "{\"status\":\"draft\"} | oap.passport_suspended",
        "{\"status\":\"Active\"} | oap.passport_suspended",
        "{\"status\":null} | oap.passport_suspended",
        "{\"status\":true} | oap.passport_suspended",
        "{\"expires_at\":\"2026-11-21T11:59:59Z\"} | oap.passport_expired",
        "{\"expires_at\":\"2026-11-21T12:00:00Z\"} | oap.passport_expired",
        "{\"expires_at\":\"2026-11-21T12:00:01Z\"} | oap.allowed",
        "{\"expires_at\":\"2026-11-21T13:00:00+02:00\"} | oap.passport_expired",
        "{\"expires_at\":\"tomorrow\"} | oap.passport_expired",
        "{\"expires_at\":1795262400} | oap.passport_expired",
        "{\"expires_at\":null} | oap.allowed",
        "{\"expires_at\":\"2020-01-01T00:00:00Z\",\"never_expires\":true} | oap.allowed",
        "{\"expires_at\":\"2020-01-01T00:00:00Z\",\"never_expires\":\"true\"} | oap.passport_expired",
        "{\"capabilities\":[]} | oap.unknown_capability",
        "{\"capabilities\":\"messaging.send\"} | oap.unknown_capability",
        "{\"capabilities\":[{\"id\":\"messaging.message.send\"}]} | oap.allowed",
        "{\"capabilities\":[{\"id\":\"Messaging.send\"}]} | oap.unknown_capability",
        "{\"capabilities\":[{\"id\":\"messaging.*\"},7,null]} | oap.unknown_capability",
        "{\"assurance_level\":\"L0\"} | oap.assurance_insufficient",
        "{\"expires_at\":\"2026-11-21T12:00:01-23:59\"} | oap.allowed",
        "{\"expires_at\":\"2026-11-22T11:59:00+23:59\"} | oap.passport_expired",
        "{\"expires_at\":\"0000-01-01T00:00:00+23:59\"} | oap.passport_expired",
        "{\"expires_at\":\"2099-01-01T00:00:00+24:00\"} | oap.passport_expired",
        "{\"assurance_level\":\"L1\"} | oap.allowed",
        "{\"assurance_level\":null} | oap.assurance_insufficient",
        "{\"assurance_level\":\"L9\"} | oap.assurance_insufficient",
        "{\"assurance_level\":\"l3\"} | oap.assurance_insufficient",
        "{\"assurance_level\":3} | oap.assurance_insufficient",
        "{\"assurance_level\":\"L4\"} | oap.allowed",
        "{\"limits\":{\"acme.stock\":{\"max_items\":5,\"require_assurance_at_least\":\"L3\"}}} | oap.assurance_insufficient",
        "{\"limits\":{\"acme.stock\":{\"max_items\":5,\"require_assurance_at_least\":\"L0\"}}} | oap.allowed",
        "{\"limits\":{\"acme.stock\":{\"max_items\":5,\"require_assurance_at_least\":2}}} | oap.assurance_insufficient",
        "{\"limits\":{\"acme\":{\"stock\":{\"max_items\":5}}}} | oap.allowed",
        "{\"limits\":{\"stock\":{\"max_items\":5}}} | oap.allowed",
        "{\"limits\":{\"max_items\":5}} | oap.allowed",
        "{\"limits\":{\"acme.stock\":{},\"stock\":{\"max_items\":5},\"max_items\":5}} | oap.limit_exceeded",
        "{\"limits\":{\"acme.stock\":null,\"stock\":{\"max_items\":5}}} | oap.allowed",
        "{\"limits\":{\"acme.stock\":[5],\"max_items\":5}} | oap.limit_exceeded",
        "{\"limits\":{\"acme\":{\"stock\":null},\"max_items\":5}} | oap.allowed",
        "{\"limits\":[]} | oap.limit_exceeded",
        "{\"limits\":null} | oap.limit_exceeded",
        "{\"limits\":{\"acme.stock\":{\"max_items\":\"5\"}}} | oap.limit_exceeded",
        "{\"limits\":{\"acme.stock\":{\"max_items\":5,\"approval_required\":true}}} | oap.approval_required",
        "{\"limits\":{\"acme.stock\":{\"max_items\":5,\"approval_required\":0}}} | oap.approval_required",
        "{\"limits\":{\"acme.stock\":{\"max_items\":5,\"approval_required\":false}}} | oap.allowed",
      })
  void thePassportDecides(String changed, String code) throws Exception {
    assertThat(code(passportWith(changed.strip()), "{\"items\":5}")).isEqualTo(code.strip());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"items\":6} | oap.limit_exceeded",
        "{\"items\":\"5\"} | oap.invalid_context",
        "{} | oap.invalid_context",
        "{\"items\":5,\"mcp_server\":\"https://a.example\"} | oap.allowed",
        "{\"items\":5,\"mcp_server\":\"https://a.example/\"} | oap.server_not_allowed",
        "{\"items\":5,\"mcp_servers\":[\"https://a.example\",\"https://b.example\"]} | oap.server_not_allowed",
        "{\"items\":5,\"mcp_tool\":\"any\"} | oap.allowed",
        "{\"items\":9,\"mcp_server\":\"https://b.example\",\"mcp_tool\":\"x\"} | oap.server_not_allowed",
        "{\"items\":5,\"region\":\"US\"} | oap.allowed",
        "{\"items\":5,\"region\":\"us-tx\"} | oap.allowed",
        "{\"items\":5,\"region\":\" US \"} | oap.region_blocked",
        "{\"items\":5,\"region\":\"EU-DE\"} | oap.allowed",
        "{\"items\":5,\"region\":\"EU\"} | oap.region_blocked",
        "{\"items\":5,\"region\":\"USA\"} | oap.region_blocked",
        "{\"items\":5,\"region\":\"12-TX\"} | oap.region_blocked",
        "{\"items\":9,\"region\":\"FR\"} | oap.limit_exceeded",
        "{\"items\":5,\"region\":null} | oap.allowed",
      })
  void theContextDecides(String context, String code) throws Exception {
    assertThat(code(passportWith("{}"), context.strip())).isEqualTo(code.strip());
  }

  @Test
  void anInstanceOfAnInactiveTemplateIsSuspended() throws Exception {
    DecisionRequest request =
        new DecisionRequest(
            TestPacks.parse(PACK),
            passportWith("{}"),
            false,
            json("{\"items\":5}"),
            Optional.empty(),
            Usage.NONE,
            java.util.List.of("t"),
            dev.safeconduct.decision.facts.Feeds.NONE,
            java.time.Instant.parse("2026-11-21T12:00:00Z"),
            false);
    Outcome outcome = new PolicyDecisionPoint(Validators.all(), _ -> {}).decide(request);
    assertThat(outcome.reason().code()).isEqualTo("oap.passport_suspended");
  }

  @Test
  void theFirstFailureWinsAndTheTraceEndsThere() throws Exception {
    PolicyPack pack = TestPacks.parse(PACK);
    TestSession session = new TestSession(pack, passportWith("{\"assurance_level\":\"L0\"}"));
    Outcome outcome = session.ask(json("{\"items\":\"many\"}"));
    assertThat(outcome.reason().code()).isEqualTo("oap.assurance_insufficient");
    assertThat(outcome.trace()).last().matches(check -> !check.passed());
    assertThat(outcome.trace()).extracting(Check::name).doesNotContain("context", "size");
    Outcome sized = new TestSession(pack, passportWith("{}")).ask(json("{\"items\":6}"));
    Check last = sized.trace().getLast();
    assertThat(last.name()).isEqualTo("size");
    assertThat(last.limits().picked()).isEqualTo(json("{\"max_items\":5}"));
    assertThat(last.context().picked()).isEqualTo(json("{\"items\":6}"));
  }

  private static String code(JsonObject passport, String context) throws Exception {
    Outcome outcome = new TestSession(TestPacks.parse(PACK), passport).ask(json(context));
    assertThat(outcome instanceof Outcome.Allow)
        .isEqualTo(outcome.reason().code().equals(Reason.ALLOWED));
    return outcome.reason().code();
  }

  private static JsonObject passportWith(String changed) throws JsonFault {
    return json(PASSPORT).toBuilder().putAll(json(changed)).build();
  }

  private static JsonObject json(String text) throws JsonFault {
    return (JsonObject) Json.parse(text);
  }
}
