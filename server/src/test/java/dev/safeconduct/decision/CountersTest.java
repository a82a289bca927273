package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts, sums and their windows (pack catalogue 0.7). */
final class CountersTest {
  private static final String PACK =
      """
      {"id": "acme.pay.v1", "requires_capabilities": ["pay"], "limits_containers": [],
       "limits": {"per_minute": {"type": "number"}, "per_hour": {"type": "number"}, "caps": {"type": "object"}},
       "required_context": {"type": "object", "properties": {
         "amount": {"type": "number"}, "currency": {"type": "string"}, "kind": {"type": "string"}}},
       "evaluation_rules": [
         {"name": "rate", "deny_code": "oap.rate_limit_exceeded", "counters": [
           {"name": "minute", "window": "minute", "max": "limits.per_minute"},
           {"name": "hour", "window": "hour", "max": "limits.per_hour", "when": "context.kind !== 'free'"}]},
         {"name": "cap", "deny_code": "oap.limit_exceeded", "counters": [
           {"name": "spent", "window": "day", "required": true, "key": "context.currency",
            "amount": "context.amount", "max": "get(limits.caps, context.currency)"}]}]}
      """;

  @Test
  void aMinuteSlides() throws Exception {
    TestSession session = session("{\"per_minute\":2,\"caps\":{\"EUR\":1000}}");
    assertAllowed(session, 1);
    session.pass(Duration.ofSeconds(30));
    assertAllowed(session, 1);
    assertDenied(session, 1, "oap.rate_limit_exceeded");
    session.pass(Duration.ofMillis(29_999));
    assertDenied(session, 1, "oap.rate_limit_exceeded");
    session.pass(Duration.ofMillis(1));
    assertAllowed(session, 1);
    assertDenied(session, 1, "oap.rate_limit_exceeded");
  }

  @Test
  void aDayIsTheUtcCalendarDay() throws Exception {
    TestSession session = session("{\"caps\":{\"EUR\":100}}");
    session.at(Instant.parse("2026-11-21T23:59:59.999Z"));
    assertAllowed(session, 100);
    assertDenied(session, 1, "oap.limit_exceeded");
    session.at(Instant.parse("2026-11-22T00:00:00Z"));
    assertAllowed(session, 100);
    assertDenied(session, 1, "oap.limit_exceeded");
  }

  @Test
  void aSumMayReachItsCapAndEachKeyHasItsOwn() throws Exception {
    TestSession session = session("{\"caps\":{\"EUR\":100,\"USD\":9007199254740991}}");
    assertAllowed(session, 99);
    assertDenied(session, 2, "oap.limit_exceeded");
    assertAllowed(session, 1);
    assertDenied(session, 1, "oap.limit_exceeded");
    JsonObject dollars = json("{\"amount\":9007199254740991,\"currency\":\"USD\"}");
    assertThat(session.ask(dollars)).isInstanceOf(Outcome.Allow.class);
    assertThat(session.ask(json("{\"amount\":1,\"currency\":\"USD\"}")))
        .isInstanceOf(Outcome.Deny.class);
  }

  @Test
  void aDenyChargesNothing() throws Exception {
    TestSession session = session("{\"per_minute\":1,\"caps\":{\"EUR\":10}}");
    assertDenied(session, 11, "oap.limit_exceeded");
    assertAllowed(session, 10);
  }

  @Test
  void aCounterWhoseTriggerDoesNotHoldIsNotLookedAt() throws Exception {
    TestSession session = session("{\"per_hour\":1,\"caps\":{\"EUR\":1000}}");
    assertAllowed(session, 1);
    assertDenied(session, 1, "oap.rate_limit_exceeded");
    assertThat(session.ask(json("{\"amount\":1,\"currency\":\"EUR\",\"kind\":\"free\"}")))
        .isInstanceOf(Outcome.Allow.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"per_minute\":0,\"caps\":{\"EUR\":9}}",
        "{\"per_minute\":-1,\"caps\":{\"EUR\":9}}",
        "{\"per_minute\":\"5\",\"caps\":{\"EUR\":9}}",
        "{\"per_minute\":true,\"caps\":{\"EUR\":9}}",
        "{\"per_minute\":[],\"caps\":{\"EUR\":9}}",
        "{\"caps\":{}}",
        "{\"caps\":{\"EUR\":\"9\"}}",
        "{\"caps\":{\"EUR\":null}}",
        "{\"caps\":7}",
        "{}",
      })
  void aCapThatIsNoneDenies(String limits) throws Exception {
    assertThat(session(limits).ask(json("{\"amount\":1,\"currency\":\"EUR\"}")))
        .isInstanceOf(Outcome.Deny.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"amount\":-5,\"currency\":\"EUR\"}",
        "{\"amount\":0.5,\"currency\":\"EUR\"}",
        "{\"amount\":1e300,\"currency\":\"EUR\"}",
        "{\"currency\":\"EUR\"}",
        "{\"amount\":1}",
      })
  void anAmountThatCannotBeChargedDenies(String context) throws Exception {
    assertThat(session("{\"caps\":{\"EUR\":1e301}}").ask(json(context)))
        .isInstanceOf(Outcome.Deny.class);
  }

  @Test
  void nothingIsWithinEveryCapAndChargesNothing() throws Exception {
    TestSession session = session("{\"caps\":{\"EUR\":10}}");
    assertAllowed(session, 10);
    Outcome none = session.ask(json("{\"amount\":0,\"currency\":\"EUR\"}"));
    assertThat(none).isInstanceOf(Outcome.Allow.class);
    assertThat(((Outcome.Allow) none).charges()).isEmpty();
  }

  @Test
  void aBusyWindowKeepsFewExpiryTimesAndNeverCountsTooShort() {
    var window = dev.safeconduct.policy.Window.MINUTE;
    Instant start = Instant.parse("2026-11-21T12:00:00Z");
    var distinct = new java.util.HashSet<Long>();
    for (int ms = 0; ms < 60_000; ms++) {
      long expiry = window.expiry(start.plusMillis(ms), 1e6);
      long exact = start.plusMillis(ms).toEpochMilli() + 60_000;
      assertThat(expiry).isBetween(exact, exact + 99);
      distinct.add(expiry);
    }
    assertThat(distinct).hasSizeLessThanOrEqualTo(601);
    assertThat(window.expiry(start.plusMillis(7), 600)).isEqualTo(start.toEpochMilli() + 60_007);
  }

  private static void assertAllowed(TestSession session, int amount) throws JsonFault {
    assertThat(ask(session, amount).reason().code()).isEqualTo(ReasonCode.ALLOWED.wire());
  }

  private static void assertDenied(TestSession session, int amount, String code) throws JsonFault {
    assertThat(ask(session, amount).reason().code()).isEqualTo(code);
  }

  private static Outcome ask(TestSession session, int amount) throws JsonFault {
    return session.ask(json("{\"amount\":" + amount + ",\"currency\":\"EUR\"}"));
  }

  private static TestSession session(String limits) throws Exception {
    return new TestSession(
        TestPacks.parse(PACK),
        json("{\"status\":\"active\",\"capabilities\":[\"pay\"],\"limits\":" + limits + "}"));
  }

  private static JsonObject json(String text) throws JsonFault {
    return (JsonObject) Json.parse(text);
  }
}
