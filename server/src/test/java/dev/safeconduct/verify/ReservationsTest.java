package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What an allow took can be given back for a while, once, by whoever may. */
final class ReservationsTest {
  private static final String RESERVE = MESSAGE + "?reserve=true";
  private static final String PAYOUT = "/api/verify/policy/finance.payment.payout.v1?reserve=true";

  private static final MovableClock clock = new MovableClock();

  @AutoClose
  private static final TestService service = TestService.start(java.util.Map.of(), clock);

  @Test
  void aReleaseGivesTheBudgetBackOnce() {
    String agent = Questions.hosted(service, 1);
    Reply allow = reserve(agent);
    String id = allow.string("reservation_id");
    assertThat(allow.header("Reservation-Id")).contains(id);
    assertThat(code(agent)).isEqualTo("oap.rate_limit_exceeded");
    Reply released = settle("release", id);
    assertThat(released.status()).as(released.toString()).isEqualTo(200);
    assertThat(released.string("status")).isEqualTo("released");
    assertThat(released.string("decision_id")).isEqualTo(allow.string("decision_id"));
    assertThat(released.string("agent_id")).isEqualTo(agent);
    assertThat(settle("release", id).json()).isEqualTo(released.json());
    assertThat(code(agent)).isEqualTo("oap.allowed");
    assertThat(code(agent)).isEqualTo("oap.rate_limit_exceeded");
    assertThat(settle("release", id).json()).isEqualTo(released.json());
    assertThat(code(agent)).isEqualTo("oap.rate_limit_exceeded");
    refused(settle("commit", id), 409, "reservation_released");
    assertThat(kinds(agent))
        .containsOnlyOnce("reservation_released")
        .doesNotContain("reservation_committed");
  }

  @Test
  void aCommitKeepsItForGood() {
    String agent = Questions.hosted(service, 1);
    String id = reserve(agent).string("reservation_id");
    Reply committed = settle("commit", id);
    assertThat(committed.string("status")).isEqualTo("committed");
    assertThat(settle("commit", id).json()).isEqualTo(committed.json());
    refused(settle("release", id), 409, "reservation_committed");
    assertThat(code(agent)).isEqualTo("oap.rate_limit_exceeded");
    assertThat(kinds(agent)).containsOnlyOnce("reservation_committed");
  }

  @Test
  void anExpiredOneCountsAsCommitted() {
    String agent = Questions.hosted(service, 1);
    Reply allow = reserve(agent);
    String id = allow.string("reservation_id");
    clock.advance(Duration.ofMinutes(15).minusMillis(1));
    String last = reserve(Questions.hosted(service, 1)).string("reservation_id");
    clock.advance(Duration.ofMillis(1));
    refused(settle("release", id), 409, "reservation_expired");
    Reply committed = settle("commit", id);
    assertThat(committed.string("status")).isEqualTo("committed");
    assertThat(committed.string("settled_at")).isEqualTo(allow.string("reservation_expires_at"));
    assertThat(code(agent)).isEqualTo("oap.rate_limit_exceeded");
    assertThat(settle("release", last).status()).isEqualTo(200);
  }

  /** A count, a sum in a currency, and a used-once key: all of it comes back. */
  @Test
  void everyCounterGetsItsChargeBack() {
    String agent =
        Questions.hosted(
            service,
            service.org(),
            Calls.json(
                """
                {'name': 'Payer', 'assurance_level': 'L3',
                 'capabilities': [{'id': 'payments.payout'}],
                 'limits': {'payments.payout': {'max_payouts_per_day': 2,
                   'allowed_destination_types': ['bank_account'],
                   'compliance_checks_required': false,
                   'currency_limits': {'USD': {'max_per_tx': 900, 'max_daily_amount': 1000}}}}}
                """));
    JsonObject payout = payout(agent, 900, "first-payout");
    String id = service.owner().post(PAYOUT, payout).string("reservation_id");
    assertThat(Questions.code(service.owner().post(PAYOUT, payout(agent, 900, "second-one"))))
        .isEqualTo("oap.limit_exceeded");
    assertThat(settle("release", id).status()).isEqualTo(200);
    // The same key again, the whole amount again, and one more: two in all.
    assertThat(Questions.code(service.owner().post(PAYOUT, payout))).isEqualTo("oap.allowed");
    assertThat(Questions.code(service.owner().post(PAYOUT, payout(agent, 100, "a-third-one"))))
        .isEqualTo("oap.allowed");
    assertThat(Questions.code(service.owner().post(PAYOUT, payout(agent, 1, "a-fourth-one"))))
        .isEqualTo("oap.limit_exceeded");
  }

  @Test
  void standsBesideTheSignedDecisionAndNotInIt() {
    String agent = Questions.hosted(service, 5);
    Reply full = reserve(agent);
    assertThat(full.json().object("decision").orElseThrow().names())
        .doesNotContain("reservation_id", "reservation_expires_at");
    Reply minimal =
        service.owner().with("Prefer", "return=minimal").post(RESERVE, Questions.message(agent));
    assertThat(minimal.json().names()).doesNotContain("reservation_id");
    assertThat(settle("release", minimal.header("Reservation-Id").orElseThrow()).status())
        .isEqualTo(200);
    JsonObject record = service.owner().get("/api/audit/" + full.string("decision_id")).json();
    assertThat(record.object("details").orElseThrow().isTrue("reserve")).isTrue();
  }

  /** An allow that counts nothing is reserved like any other, so that callers need not know. */
  @Test
  void anAllowWithoutChargesHasOneToo() {
    String agent = Questions.hosted(service, 5);
    Reply allow =
        service
            .owner()
            .post(Questions.COMMAND + "?reserve=true", Questions.command(agent, "git status"));
    assertThat(settle("commit", allow.string("reservation_id")).status()).isEqualTo(200);
    Reply deny =
        service.owner().post(Questions.COMMAND + "?reserve=true", Questions.command(agent, "vi"));
    assertThat(deny.json().isTrue("allow")).isFalse();
    assertThat(deny.json().has("reservation_id")).isFalse();
    assertThat(deny.header("Reservation-Id")).isEmpty();
  }

  @Test
  void anIdempotencyKeyReplaysTheReservationToo() {
    String agent = Questions.hosted(service, 2);
    Calls keyed = service.owner().with("Idempotency-Key", "reserved once");
    Reply first = keyed.post(RESERVE, Questions.message(agent));
    Reply again = keyed.post(RESERVE, Questions.message(agent));
    assertThat(again.header("Idempotent-Replayed")).contains("true");
    assertThat(again.string("reservation_id")).isEqualTo(first.string("reservation_id"));
    assertThat(again.string("reservation_expires_at"))
        .isEqualTo(first.string("reservation_expires_at"));
    // Without a reservation it is another request.
    assertThat(keyed.post(MESSAGE, Questions.message(agent)).status()).isEqualTo(409);
    // Once released, the old allow is no longer good: the same key is judged and charged anew.
    assertThat(settle("release", first.string("reservation_id")).status()).isEqualTo(200);
    Reply anew = keyed.post(RESERVE, Questions.message(agent));
    assertThat(anew.header("Idempotent-Replayed")).isEmpty();
    assertThat(anew.string("reservation_id")).isNotEqualTo(first.string("reservation_id"));
    assertThat(code(agent)).isEqualTo("oap.allowed");
    assertThat(code(agent)).isEqualTo("oap.rate_limit_exceeded");
  }

  @Test
  void onlyTheOrganizationsKeysMaySettle() {
    String agent = Questions.hosted(service, 5);
    String setupKey =
        service
            .owner()
            .post(
                "/api/passports/" + agent + "/setup-key",
                Calls.json("{'name': 'k', 'scopes': ['read', 'update']}"))
            .string("key");
    // The agent may reserve by itself, but not give itself the budget back.
    String id =
        service.withKey(setupKey).post(RESERVE, Questions.message(agent)).string("reservation_id");
    refused(settle(service.withKey(setupKey), "release", id), 403, "");
    refused(settle(service.withKey(setupKey), "commit", id), 403, "");
    String reader = Questions.newKey(service, service.org(), "{'name': 'r', 'scopes': ['read']}");
    refused(settle(service.withKey(reader), "release", id), 403, "");
    Questions.Tenant tenant = Questions.Tenant.made(service, "Others", "'read', 'update'");
    refused(settle(service.withKey(tenant.key()), "release", id), 404, "reservation_not_found");
    refused(settle(service.nobody(), "release", id), 401, "");
    for (String unknown :
        List.of("rsv_", "rsv_" + "0".repeat(32), "nothing", "..%2f", "x".repeat(900))) {
      refused(settle("release", unknown), 404, "reservation_not_found");
    }
    assertThat(settle(service.admin(), "release", id).status()).isEqualTo(200);
  }

  @Test
  void refusesWhatCannotBeReserved() {
    String agent = Questions.hosted(service, 5);
    Reply dry = service.owner().post(RESERVE + "&dry_run=true", Questions.message(agent));
    assertThat(dry.status()).isEqualTo(400);
    assertThat(dry.string("field")).isEqualTo("reserve");
    Reply odd = service.owner().post(MESSAGE + "?reserve=maybe", Questions.message(agent));
    assertThat(odd.status()).isEqualTo(400);
    assertThat(odd.string("field")).isEqualTo("reserve");
  }

  /** As many as release at once, the budget comes back once each; as many as take, no more. */
  @Test
  void isExactWhenManyTakeAndGiveBackAtOnce() {
    int cap = 20;
    String agent = Questions.hosted(service, cap);
    List<Integer> kept =
        AtOnce.run(
            32,
            caller -> {
              int mine = 0;
              for (int i = 0; i < 4; i++) {
                Optional<String> id = reserve(agent).json().string("reservation_id");
                if (id.isPresent() && (caller + i) % 2 == 0) {
                  assertThat(settle("release", id.get()).status()).isEqualTo(200);
                  assertThat(settle("release", id.get()).status()).isEqualTo(200);
                } else if (id.isPresent()) {
                  mine++;
                }
              }
              return mine;
            });
    int sum = kept.stream().mapToInt(Integer::intValue).sum();
    assertThat(sum).isLessThanOrEqualTo(cap);
    int left = 0;
    while (code(agent).equals("oap.allowed")) {
      left++;
    }
    assertThat(sum + left).isEqualTo(cap);
  }

  private static JsonObject payout(String agent, int amount, String key) {
    return Calls.json(
        """
        {'context': {'agent_id': '%s', 'amount': %d, 'currency': 'USD',
          'destination_type': 'bank_account', 'destination_id': 'acct',
          'payout_method': 'ach', 'idempotency_key': '%s'}}
        """
            .formatted(agent, amount, key));
  }

  private static Reply reserve(String agent) {
    return service.owner().post(RESERVE, Questions.message(agent));
  }

  private static String code(String agent) {
    return Questions.code(service.owner().post(MESSAGE, Questions.message(agent)));
  }

  private static Reply settle(String how, String id) {
    return settle(service.owner(), how, id);
  }

  private static Reply settle(Calls calls, String how, String id) {
    return calls.send("POST", "/api/usage/" + id + "/" + how, "");
  }

  private static void refused(Reply reply, int status, String reason) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(status);
    if (!reason.isEmpty()) {
      assertThat(reply.json().object("details").orElseThrow().string("reason")).contains(reason);
    }
  }

  private static List<String> kinds(String agent) {
    return Questions.records(service.owner(), "limit=200&agent_id=" + agent).elements().stream()
        .map(record -> ((JsonObject) record).string("kind").orElseThrow())
        .toList();
  }
}
