package dev.safeconduct.verify.token;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.ClientReading;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** An allow as a token: what it says, how long it lives, and what ends it. */
final class DecisionTokenTest {
  private static final String TOKEN = "/api/verify/token/system.command.execute.v1";
  private static final MovableClock CLOCK = new MovableClock();

  @AutoClose private static final EachStore.Services services = new EachStore.Services(CLOCK);

  private static Reply issue(TestService service, String agent) {
    Reply reply = service.owner().post(TOKEN, Questions.command(agent, "ls"));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply;
  }

  private static JsonObject part(String token, int part) throws Exception {
    return Json.parseObject(Base64.getUrlDecoder().decode(token.split("\\.", -1)[part]));
  }

  @ParameterizedTest
  @EnumSource
  void saysWhatTheDecisionSaysAndNotMoreThanHalfAMinute(EachStore store) throws Exception {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 5);
    Reply reply = issue(service, agent);
    JsonObject decision = reply.json().object("decision").orElseThrow();
    assertThat(decision.isTrue("allow")).isTrue();
    JsonObject header = part(reply.string("token"), 0);
    JsonObject claims = part(reply.string("token"), 1);
    assertThat(header.names()).containsExactlyInAnyOrder("alg", "kid", "typ");
    assertThat(header.string("alg")).contains("EdDSA");
    assertThat(header.string("typ")).contains("decision+jwt");
    assertThat(header.string("kid").orElseThrow()).startsWith("oap:registry:decision_token-");
    assertThat(decision.string("kid").orElseThrow()).startsWith("oap:registry:decision-");
    for (String name :
        List.of("decision_id", "context_digest", "policy_digest", "passport_digest", "owner_id")) {
      assertThat(claims.string(name)).as(name).isPresent().isEqualTo(decision.string(name));
    }
    assertThat(claims.string("sub")).contains(agent);
    assertThat(claims.string("aud")).contains(service.org());
    long lives = Questions.number(claims, "exp") - Questions.number(claims, "iat");
    assertThat(lives).isBetween(1L, 30L);
    assertThat(Questions.number(claims, "exp"))
        .isLessThanOrEqualTo(CLOCK.instant().getEpochSecond() + 30);
    String id = decision.string("decision_id").orElseThrow();
    assertThat(service.owner().get("/api/decisions/" + id).status()).isEqualTo(200);
    assertThat(Questions.verdict(service, reply.string("token"))).isEqualTo("valid");
  }

  @ParameterizedTest
  @EnumSource
  void onlyAnAllowThatMayBeCachedHasOne(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 5);
    Calls owner = service.owner();
    assertNone("denied", owner.post(TOKEN, Questions.command(agent, "rm -rf /")));
    assertNone("dry_run", owner.post(TOKEN + "?dry_run=true", Questions.command(agent, "ls")));
    assertNone(
        "counted",
        owner.post("/api/verify/token/messaging.message.send.v1", Questions.message(agent)));
    JsonObject sent =
        JsonObject.builder()
            .put("passport", Questions.passport(Questions.freshAgent(), 5))
            .put("context", Calls.json("{'command': 'ls'}"))
            .build();
    assertNone("not_hosted", owner.post(TOKEN, sent));
    assertThat(service.nobody().post(TOKEN, Questions.command(agent, "ls")).status())
        .isEqualTo(401);
    assertThat(owner.post(TOKEN, Questions.command("ap_unknown", "ls")).status()).isEqualTo(404);
  }

  /** A token would outlive what it rests on: the reservation can be released. */
  @ParameterizedTest
  @EnumSource
  void whatIsReservedHasNoneButNamesItsReservation(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 5);
    Calls owner = service.owner();
    Reply reserved = owner.post(TOKEN + "?reserve=true", Questions.command(agent, "ls"));
    assertNone("reserved", reserved);
    String id = reserved.string("reservation_id");
    assertThat(reserved.header("Reservation-Id")).contains(id);
    assertThat(reserved.json().string("reservation_expires_at")).isPresent();
    assertThat(owner.post("/api/usage/" + id + "/release", "{}").string("status"))
        .isEqualTo("released");
  }

  @ParameterizedTest
  @EnumSource
  void aDenyThatWaitsForAPersonTellsOfIt(EachStore store) {
    TestService service = services.on(store);
    String agent =
        Questions.hosted(
            service,
            service.org(),
            Calls.json(
                """
                {'name': 'Sender', 'capabilities': [{'id': 'messaging.send'}],
                 'limits': {'messaging.send': {'msgs_per_min': 9, 'msgs_per_day': 9,
                   'channels_allowlist': ['team'], 'approval_required': true}}}
                """));
    JsonObject question =
        Calls.json(
            """
            {'context': {'agent_id': '%s', 'channel_id': 'team', 'message': 'Done.',
              'message_type': 'text'}}
            """
                .formatted(agent));
    Reply reply = service.owner().post("/api/verify/token/messaging.message.send.v1", question);
    assertNone("denied", reply);
    JsonObject approval = reply.json().object("approval").orElseThrow();
    assertThat(approval.names())
        .containsExactly("approval_id", "expires_at", "status_endpoint", "approval_url");
    assertThat(service.admin().get("/api/approvals?limit=200").text())
        .contains(approval.string("approval_id").orElseThrow());
  }

  private static void assertNone(String why, Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.json().string("token")).isEmpty();
    assertThat(reply.json().has("token")).isTrue();
    assertThat(reply.string("reason")).isEqualTo(why);
    assertThat(reply.json().object("decision")).isPresent();
  }

  @ParameterizedTest
  @EnumSource
  void endsWithEverythingItRestsOn(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 5);
    String suspended = issue(service, agent).string("token");
    CLOCK.advance(Duration.ofSeconds(1));
    Questions.status(service, agent, "suspended");
    assertThat(Questions.verdict(service, suspended)).isEqualTo("passport_not_active");
    Questions.status(service, agent, "active");
    assertThat(Questions.verdict(service, suspended)).isEqualTo("passport_changed");

    String changed = issue(service, agent).string("token");
    assertThat(service.owner().patch("/api/passports/" + agent, "{\"role\": \"else\"}").status())
        .isEqualTo(200);
    assertThat(Questions.verdict(service, changed)).isEqualTo("passport_changed");

    Reply key =
        service
            .owner()
            .post(
                "/api/orgs/" + service.org() + "/keys",
                Calls.json("{'name': 'k', 'scopes': ['read']}"));
    String byKey =
        service
            .withKey(key.string("key"))
            .post(TOKEN, Questions.command(agent, "ls"))
            .string("token");
    assertThat(Questions.verdict(service, byKey)).isEqualTo("valid");
    service.owner().delete("/api/orgs/" + service.org() + "/keys/" + key.string("key_id"));
    assertThat(Questions.verdict(service, byKey)).isEqualTo("key_revoked");

    String old = issue(service, agent).string("token");
    CLOCK.advance(Duration.ofSeconds(30));
    assertThat(Questions.verdict(service, old)).isEqualTo("expired");
  }

  /** It ends when its key is narrowed, and never later than the key. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {'scopes': ['read_audit']}                        | key_revoked
          {'allowed_sources': ['192.0.2.1']}                | key_revoked
          {'allowed_sources': ['127.0.0.1', '192.0.2.1']}   | key_revoked
          {'name': 'other'}                                 | valid
          """)
  void endsWithWhatItsKeyMayDo(String patch, String verdict) throws Exception {
    for (EachStore store : EachStore.values()) {
      TestService service = services.on(store);
      String agent = Questions.hosted(service, 5);
      String keys = "/api/orgs/" + service.org() + "/keys";
      Instant end = CLOCK.instant().plusSeconds(7);
      Reply key =
          service
              .owner()
              .post(
                  keys,
                  Calls.json(
                      "{'name': 'k', 'scopes': ['read', 'read_audit'], 'expires_at': '%s'}"
                          .formatted(end)));
      String token =
          service
              .withKey(key.string("key"))
              .post(TOKEN, Questions.command(agent, "ls"))
              .string("token");
      assertThat(Questions.number(part(token, 1), "exp")).isEqualTo(end.getEpochSecond());
      assertThat(Questions.verdict(service, token)).isEqualTo("valid");
      String cursor = service.owner().get("/api/revocations").string("next_cursor");
      Reply patched =
          service.owner().patch(keys + "/" + key.string("key_id"), Calls.json(patch).toString());
      assertThat(patched.status()).as(patched.toString()).isEqualTo(200);
      assertThat(Questions.verdict(service, token)).as(store + " " + patch).isEqualTo(verdict);
      assertThat(service.owner().get("/api/revocations?cursor=" + cursor).text())
          .contains("\"usable\":" + !patch.contains("scopes"));
      CLOCK.advance(Duration.ofSeconds(7));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anInstanceEndsWithItsTemplate(EachStore store) throws Exception {
    TestService service = services.on(store);
    JsonObject template =
        Questions.passport(Questions.freshAgent(), 5).with("kind", new JsonString("template"));
    String above = Questions.hosted(service, service.org(), template);
    Reply made =
        service.owner().post("/api/passports/" + above + "/instances", "{\"name\": \"One\"}");
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    String token = issue(service, made.string("agent_id")).string("token");
    assertThat(part(token, 1).array("template_ids").orElseThrow().toString()).contains(above);
    Questions.status(service, above, "suspended");
    assertThat(Questions.verdict(service, token)).isEqualTo("passport_not_active");
  }

  /** Every bit of every part, a few other tricks, and the tokens of other purposes. */
  @Test
  void nothingElsePasses() throws Exception {
    TestService service = services.on(EachStore.SQLITE);
    String agent = Questions.hosted(service, 5);
    String token = issue(service, agent).string("token");
    byte[] bytes = token.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < bytes.length; i += 3) {
      byte[] altered = bytes.clone();
      altered[i] = (byte) (altered[i] == 'A' ? 'B' : 'A');
      assertThat(Questions.verdict(service, new String(altered, StandardCharsets.US_ASCII)))
          .as("character " + i)
          .isNotEqualTo("valid");
    }
    String[] parts = token.split("\\.", -1);
    String none =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("{\"alg\":\"none\",\"typ\":\"decision+jwt\"}".getBytes(UTF_8));
    for (String other :
        List.of(
            "",
            "..",
            "a.b.c.d",
            parts[0] + "." + parts[1],
            parts[0] + "." + parts[1] + ".",
            none + "." + parts[1] + ".",
            token + "=",
            token + "A",
            " " + token,
            "x".repeat(20_000),
            session(service))) {
      assertThat(Questions.verdict(service, other)).as(other).isNotEqualTo("valid");
    }
  }

  private static final java.nio.charset.Charset UTF_8 = StandardCharsets.UTF_8;

  /** A good token of a session: the same algorithm, another key, another type. */
  private static String session(TestService service) {
    service.setPassword(service.ownerLink(), TestService.OPERATOR);
    String cookie = service.login(TestService.OPERATOR).header("Set-Cookie").orElseThrow();
    return cookie.substring(cookie.indexOf('=') + 1, cookie.indexOf(';'));
  }

  /** The Python SDKs make an object of it that takes eight members only; others read it too. */
  @Test
  void whoeverLooksAtTheDecisionAloneIsToldTheSame() {
    TestService service = services.on(EachStore.SQLITE);
    String token = issue(service, Questions.hosted(service, 5)).string("token");
    String path = "/api/verify/token/validate";
    JsonObject good = JsonObject.builder().put("token", token).build();
    Calls python = service.nobody().with("User-Agent", "aport-sdk-python/0.1.0");
    JsonObject decision = python.post(path, good).json().object("decision").orElseThrow();
    ClientReading.EXACTLY_EIGHT.finds(decision, true, "oap.allowed");
    for (Calls client : List.of(python, service.nobody())) {
      JsonObject bad =
          client.post(path, "{\"token\": \"a.b.c\"}").json().object("decision").orElseThrow();
      assertThat(bad.isTrue("allow")).isFalse();
      assertThat(Questions.code(bad)).isEqualTo("oap.invalid_token");
      assertThat(bad.toString()).contains("The token is not valid: ");
    }
  }

  /** The decision behind a token is in the log like any other. */
  @Test
  void theDecisionVerifiesLikeAnyOther() {
    TestService service = services.on(EachStore.SQLITE);
    String agent = Questions.hosted(service, 5);
    JsonObject decision = issue(service, agent).json().object("decision").orElseThrow();
    Reply plain = service.owner().post(COMMAND, Questions.command(agent, "ls"));
    assertThat(decision.names()).isEqualTo(plain.json().object("decision").orElseThrow().names());
  }
}
