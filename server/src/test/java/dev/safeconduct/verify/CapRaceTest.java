package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Many race for the last units of a cap: exactly as many as there are get one. */
final class CapRaceTest {
  private static final int CALLERS = 64;

  private static Map<String, String> freshDatabase() {
    return EachStore.POSTGRES.settings();
  }

  @Test
  void onOneNode() {
    try (TestService service = TestService.start()) {
      for (int cap : new int[] {1, 7, CALLERS - 1, CALLERS + 1}) {
        String agent = Questions.hosted(service, cap);
        assertThat(allowed(List.of(service), service.key(), Questions.message(agent)))
            .isEqualTo(Math.min(cap, CALLERS));
      }
    }
  }

  /** What is sent along has its own caps, and they are as exact. */
  @Test
  void ofAPassportNobodyHosts() {
    try (TestService service = TestService.start()) {
      JsonObject question =
          Questions.message("ap_sent").with("passport", Questions.passport("ap_sent", 9));
      assertThat(allowed(List.of(service), service.key(), question)).isEqualTo(9);
      // Another organization's agent of the same name has a cap of its own.
      Questions.Tenant tenant = Questions.Tenant.made(service, "Other", "'read'");
      assertThat(allowed(List.of(service), tenant.key(), question)).isEqualTo(9);
    }
  }

  @Test
  void onTwoNodes() {
    Map<String, String> database = freshDatabase();
    try (TestService one = TestService.start(database);
        TestService two = TestService.start(database)) {
      for (int cap : new int[] {1, 13, CALLERS - 1}) {
        String agent = Questions.hosted(one, cap);
        assertThat(allowed(List.of(one, two), one.key(), Questions.message(agent))).isEqualTo(cap);
      }
    }
  }

  /** Sums stay under their cap to the unit, and a pack's own idempotency key passes once. */
  @Test
  void ofMoney() {
    Map<String, String> database = freshDatabase();
    try (TestService one = TestService.start(database);
        TestService two = TestService.start(database)) {
      JsonObject passport =
          Calls.json(
              """
              {'name': 'Refunds', 'assurance_level': 'L3', 'regions': ['US'],
               'capabilities': [{'id': 'finance.payment.refund'}],
               'limits': {'finance.payment.refund': {'refund_reason_codes': ['late'],
                 'currency_limits': {'USD': {'max_per_tx': 900, 'daily_cap': 10000}}}}}
              """);
      String agent = Questions.hosted(one, one.org(), passport);
      List<TestService> nodes = List.of(one, two);
      List<Long> amounts =
          AtOnce.run(
              CALLERS,
              i -> {
                long amount = 1 + (i * 37L % 900);
                return refunded(nodes.get(i % 2), one.key(), agent, amount, "key-number-" + i)
                    ? amount
                    : 0;
              });
      long sum = amounts.stream().mapToLong(Long::longValue).sum();
      assertThat(sum).isBetween(10_000L - 900, 10_000L);
      String other = Questions.hosted(one, one.org(), passport);
      List<Boolean> same =
          AtOnce.run(
              CALLERS, i -> refunded(nodes.get(i % 2), one.key(), other, 5, "key-of-them-all"));
      assertThat(same).containsOnlyOnce(true);
    }
  }

  private static boolean refunded(
      TestService node, String key, String agent, long amount, String idempotencyKey) {
    JsonObject question =
        Calls.json(
            """
            {'context': {'agent_id': '%s', 'order_id': 'o', 'customer_id': 'c', 'amount': %d,
              'currency': 'USD', 'region': 'US', 'reason_code': 'late', 'idempotency_key': '%s'}}
            """
                .formatted(agent, amount, idempotencyKey));
    Reply reply = node.withKey(key).post("/api/verify/policy/finance.payment.refund.v1", question);
    assertThat(Questions.code(reply))
        .isIn(
            "oap.allowed",
            "oap.limit_exceeded",
            "oap.daily_cap_exceeded",
            "oap.idempotency_conflict");
    return reply.json().isTrue("allow");
  }

  private static long allowed(List<TestService> nodes, String key, JsonObject question) {
    List<Reply> replies =
        AtOnce.run(CALLERS, i -> nodes.get(i % nodes.size()).withKey(key).post(MESSAGE, question));
    for (Reply reply : replies) {
      assertThat(Questions.code(reply)).isIn("oap.allowed", "oap.rate_limit_exceeded");
    }
    return replies.stream().filter(reply -> reply.json().isTrue("allow")).count();
  }
}
