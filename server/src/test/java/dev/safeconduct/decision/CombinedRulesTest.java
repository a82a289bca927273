package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Rules of several parts, and counters that are more than a cap per window. */
final class CombinedRulesTest {
  private static final String FRAME =
      """
      {"id": "acme.rent.v1", "requires_capabilities": ["rent"], "limits_containers": [],
       "deny_codes": {"oap.no": "The answer of this test."},
       "limits": {"most": {"type": "number"}, "key_required": {"type": "flag"}},
       "required_context": {"type": "object", "properties": {
         "size": {"type": "integer"}, "seconds": {"type": "number"}, "key": {"type": "string"},
         "a": {"type": "string"}, "b": {"type": "string"}, "price": {"type": "integer"},
         "currency": {"type": "string"},
         "price_eur": {"type": "number", "x-sets": {"value_of": "price", "implies": {"currency": "EUR"}}}}},
       "evaluation_rules": [{"name": "rule", "deny_code": "oap.no", "message": "no", RULE}]}
      """;

  @Test
  void aConditionIsJudgedBeforeTheCountersAndADenyChargesNothing() throws Exception {
    TestSession session =
        session(
            "{\"most\":1}",
            """
            "condition": "context.size < 9", "counters": [{"window": "day", "max": "limits.most"}]
            """);
    assertThat(code(session, "{\"size\":9}")).isEqualTo("oap.no");
    assertThat(code(session, "{\"size\":1}")).isEqualTo("oap.allowed");
    assertThat(code(session, "{\"size\":1}")).isEqualTo("oap.no");
  }

  @Test
  void liveThingsCountUntilTheyEnd() throws Exception {
    TestSession session =
        session(
            "{\"most\":2}",
            """
            "counters": [{"name": "live", "lives_seconds": "context.seconds", "max": "limits.most"}]
            """);
    assertThat(code(session, "{\"seconds\":60}")).isEqualTo("oap.allowed");
    assertThat(code(session, "{\"seconds\":90}")).isEqualTo("oap.allowed");
    session.pass(Duration.ofMillis(59_999));
    assertThat(code(session, "{\"seconds\":60}")).isEqualTo("oap.no");
    session.pass(Duration.ofMillis(1));
    assertThat(code(session, "{}")).isEqualTo("oap.no");
    assertThat(code(session, "{\"seconds\":-1}")).isEqualTo("oap.no");
    assertThat(code(session, "{\"seconds\":60}")).isEqualTo("oap.allowed");
  }

  @Test
  void anIdempotencyKeyStaysTakenForTwentyFourHours() throws Exception {
    String rule =
        """
        "counters": [{"name": "idempotency_key", "window": "24h", "max": "1", "key": "context.key",
          "when": "!absent(context.key) || !(absent(limits.key_required) || limits.key_required === false)"}]
        """;
    TestSession session = session("{}", rule);
    assertThat(code(session, "{}")).isEqualTo("oap.allowed");
    assertThat(code(session, "{\"key\":\"k\"}")).isEqualTo("oap.allowed");
    session.pass(Duration.ofHours(24).minusMillis(1));
    assertThat(code(session, "{\"key\":\"k\"}")).isEqualTo("oap.no");
    session.pass(Duration.ofMillis(1));
    assertThat(code(session, "{\"key\":\"k\"}")).isEqualTo("oap.allowed");
    assertThat(code(session("{\"key_required\":true}", rule), "{}")).isEqualTo("oap.no");
    assertThat(code(session("{\"key_required\":0}", rule), "{}")).isEqualTo("oap.no");
  }

  @Test
  void aConditionAsksTheSetThatTheCountersFill() throws Exception {
    TestSession session =
        session(
            "{}",
            """
            "condition": "!state.setHas('pairs', [context.a, context.b])", "counters": [
              {"name": "pairs", "window": "forever", "key": "[context.a, context.b]", "max": "9007199254740991"}]
            """);
    assertThat(code(session, "{\"a\":\"x\",\"b\":\"y\"}")).isEqualTo("oap.allowed");
    session.pass(Duration.ofDays(4000));
    assertThat(code(session, "{\"a\":\"x\",\"b\":\"y\"}")).isEqualTo("oap.no");
    assertThat(code(session, "{\"a\":\"x\\\",\\\"y\",\"b\":\"\"}")).isEqualTo("oap.allowed");
    assertThat(code(session, "{\"a\":\"x\"}")).isEqualTo("oap.no");
  }

  @Test
  void stateFunctionsReadWhatCountersCharge() throws Exception {
    TestSession session =
        session(
            "{}",
            """
            "condition": "!state.seenKey(context.key) && state.daySum('sum', context.key) + context.size <= 10 && state.windowCount('m', 60) < 2",
            "counters": [
              {"name": "idempotency_key", "window": "24h", "key": "context.b", "max": "99"},
              {"name": "sum", "window": "day", "key": "context.key", "amount": "context.size", "max": "99"},
              {"name": "m", "window": "minute", "max": "99"}]
            """);
    assertThat(code(session, "{\"key\":\"k\",\"b\":\"1\",\"size\":7}")).isEqualTo("oap.allowed");
    assertThat(code(session, "{\"key\":\"k\",\"b\":\"2\",\"size\":4}")).isEqualTo("oap.no");
    assertThat(code(session, "{\"key\":\"1\",\"b\":\"2\",\"size\":4}")).isEqualTo("oap.no");
    assertThat(code(session, "{\"key\":\"k\",\"b\":\"2\",\"size\":3}")).isEqualTo("oap.allowed");
    assertThat(code(session, "{\"key\":\"z\",\"b\":\"3\",\"size\":3}")).isEqualTo("oap.no");
    session.pass(Duration.ofMinutes(1));
    assertThat(code(session, "{\"key\":\"z\",\"b\":\"3\",\"size\":0}")).isEqualTo("oap.allowed");
  }

  @Test
  void anAmountOfNothingIsCheckedButNotCharged() throws Exception {
    String rule =
        """
        "counters": [{"window": "day", "amount": "context.size", "max": "limits.most"}]
        """;
    TestSession session = session("{\"most\":5}", rule);
    assertThat(code(session, "{\"size\":5}")).isEqualTo("oap.allowed");
    assertThat(code(session, "{\"size\":0}")).isEqualTo("oap.allowed");
    assertThat(code(session, "{\"size\":1}")).isEqualTo("oap.no");
    assertThat(code(session("{\"most\":\"5\"}", rule), "{\"size\":0}")).isEqualTo("oap.no");
  }

  @Test
  void aFieldMayStandForOthers() throws Exception {
    TestSession session =
        session("{}", "\"condition\": \"context.price === 5 && context.currency === 'EUR'\"");
    assertThat(code(session, "{\"price_eur\":5}")).isEqualTo("oap.allowed");
    assertThat(code(session, "{\"price_eur\":5.0,\"price\":5,\"currency\":\"EUR\"}"))
        .isEqualTo("oap.allowed");
    assertThat(code(session, "{\"price_eur\":5,\"price\":null}")).isEqualTo("oap.allowed");
    assertThat(code(session, "{\"price_eur\":4}")).isEqualTo("oap.no");
    assertThat(code(session, "{\"price_eur\":5,\"price\":6}")).isEqualTo("oap.invalid_context");
    assertThat(code(session, "{\"price_eur\":5,\"currency\":\"USD\"}"))
        .isEqualTo("oap.invalid_context");
    assertThat(code(session, "{\"price_eur\":5.5}")).isEqualTo("oap.invalid_context");
    assertThat(code(session, "{\"price_eur\":null}")).isEqualTo("oap.no");
  }

  private static String code(TestSession session, String context) throws JsonFault {
    return session.ask(json(context)).reason().code();
  }

  private static TestSession session(String limits, String rule) throws Exception {
    return new TestSession(
        TestPacks.parse(FRAME.replace("RULE", rule)),
        json("{\"status\":\"active\",\"capabilities\":[\"rent\"],\"limits\":" + limits + "}"));
  }

  private static JsonObject json(String text) throws JsonFault {
    return (JsonObject) Json.parse(text);
  }
}
