package dev.safeconduct.access;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tokens of operators and pipelines: what each role opens, how they end, and the last way in. */
final class OperatorTokensTest {
  private static final String TOKENS = "/api/admin/tokens";

  private static final String DECIDE = "/api/verify/token/system.command.execute.v1";
  private static final MovableClock CLOCK = new MovableClock();
  private static final Map<String, String> DATABASE = EachStore.POSTGRES.settings();
  @AutoClose private static final TestService one = TestService.start(DATABASE, CLOCK);
  @AutoClose private static final TestService two = TestService.start(DATABASE, CLOCK);
  @AutoClose private static final TestService alone = TestService.start(Map.of(), CLOCK);

  private static TestService first(EachStore store) {
    return store == EachStore.POSTGRES ? one : alone;
  }

  private static TestService last(EachStore store) {
    return store == EachStore.POSTGRES ? two : alone;
  }

  private static Reply create(Calls calls, String role, String more) {
    return calls.post(TOKENS, Calls.json("{'name': 'Ana', 'role': '" + role + "'" + more + "}"));
  }

  private static Reply made(Calls calls, String role, String more) {
    Reply made = create(calls, role, more);
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    assertThat(made.string("token")).startsWith("sca_").hasSizeGreaterThan(40);
    return made;
  }

  private static Calls with(TestService node, Reply made) {
    return node.nobody().with("Authorization", "Bearer " + made.string("token"));
  }

  @ParameterizedTest
  @EnumSource
  void anOperatorDoesWhatTheAdminTokenDoesUnderItsName(EachStore store) {
    TestService first = first(store);
    Reply made = made(first.admin(), "operator", "");
    Calls operator = with(last(store), made);
    Reply org = operator.post("/api/orgs", "{\"name\": \"By a token\"}");
    assertThat(org.status()).as(org.toString()).isEqualTo(201);
    String records =
        first.admin().get("/api/audit?kind=config&org_id=" + org.string("org_id")).text();
    assertThat(records).contains("token:" + made.string("token_id"));
    assertThat(operator.get("/api/auth/me").string("kind")).isEqualTo("operator_token");
    String agent = Questions.hosted(first, 5);
    assertThat(Questions.code(operator.post(COMMAND, Questions.command(agent, "ls"))))
        .isEqualTo("oap.allowed");
    assertThat(first.nobody().with("X-API-Key", made.string("token")).get(TOKENS).status())
        .isEqualTo(401);
    String listed = operator.get(TOKENS).text();
    assertThat(listed).contains(made.string("token_id")).doesNotContain(made.string("token"));
    assertThat(lastUse(first, made)).isLessThanOrEqualTo(CLOCK.instant().toString());
  }

  /** The use is written after the request has been answered. */
  private static String lastUse(TestService service, Reply made) {
    for (int i = 0; i < 10_000; i++) {
      for (var token :
          service.admin().get(TOKENS).json().array("tokens").orElseThrow().elements()) {
        JsonObject shown = (JsonObject) token;
        if (shown.string("token_id").orElseThrow().equals(made.string("token_id"))
            && shown.has("last_used_at")) {
          return shown.string("last_used_at").orElseThrow();
        }
      }
    }
    throw new AssertionError("the use was not noted");
  }

  @Tag("attack")
  @ParameterizedTest
  @EnumSource
  void aReadOnlyTokenReadsAndChangesAndDecidesNothing(EachStore store) {
    TestService service = first(store);
    Calls reader = with(last(store), made(service.admin(), "read_only", ""));
    String agent = Questions.hosted(service, 5);
    for (String path :
        List.of("/api/orgs", TOKENS, "/api/audit", "/api/passports/" + agent, "/api/admin/feeds")) {
      assertThat(reader.get(path).status()).as(path).isEqualTo(200);
    }
    assertThat(create(reader, "operator", "").status()).isEqualTo(403);
    assertThat(reader.post("/api/orgs", "{\"name\": \"x\"}").status()).isEqualTo(403);
    assertThat(reader.post("/api/admin/halt", "{\"reason\": \"x\"}").status()).isEqualTo(403);
    assertThat(reader.patch("/api/passports/" + agent, "{\"name\": \"x\"}").status())
        .isEqualTo(403);
    assertThat(reader.post(COMMAND, Questions.command(agent, "ls")).status()).isEqualTo(403);
    assertThat(reader.delete(TOKENS + "/tok_x").status()).isEqualTo(403);
  }

  @Tag("attack")
  @ParameterizedTest
  @EnumSource
  void aDeployTokenPublishesPacksAndPassportsOfItsOrganizationOnly(EachStore store) {
    TestService service = first(store);
    assertThat(create(service.admin(), "deploy", "").string("field")).isEqualTo("org_id");
    String own = Questions.Tenant.made(service, "Deployed works", "'read'").org();
    Calls deploy = with(last(store), made(service.admin(), "deploy", ", 'org_id': '" + own + "'"));
    String id = "acme.stock.move." + own.substring(own.length() - 8) + ".v1";
    String packs = "/api/orgs/" + own + "/policies";
    Reply pack = deploy.post(packs, StockPack.pack(id, 10));
    assertThat(pack.status()).as(pack.toString()).isEqualTo(201);
    Reply active = deploy.post(packs + "/" + id + "/activate", "{\"version\": 1}");
    assertThat(active.status()).as(active.toString()).isEqualTo(200);
    Reply passport = deploy.post("/api/passports", Questions.passport("", 5).without("agent_id"));
    assertThat(passport.status()).as(passport.toString()).isEqualTo(201);
    assertThat(passport.string("owner_id")).isEqualTo(own);
    String path = "/api/passports/" + passport.string("agent_id");
    assertThat(deploy.patch(path, "{\"name\": \"Better\"}").status()).isEqualTo(200);
    assertThat(deploy.get(path).string("name")).isEqualTo("Better");

    assertThat(deploy.patch(path, "{\"status\": \"suspended\"}").status()).isEqualTo(403);
    assertThat(deploy.put(path + "/status", "{\"status\": \"suspended\"}").status()).isEqualTo(403);
    assertThat(deploy.post(path + "/setup-key", "{}").status()).isEqualTo(403);
    assertThat(deploy.get("/api/orgs/" + own + "/keys").status()).isEqualTo(403);
    assertThat(deploy.get("/api/orgs/" + own + "/members").status()).isEqualTo(403);
    assertThat(deploy.get("/api/audit").status()).isEqualTo(403);
    assertThat(deploy.get(TOKENS).status()).isEqualTo(403);
    assertThat(deploy.post("/api/orgs/" + own + "/halt", "{\"reason\": \"x\"}").status())
        .isEqualTo(403);
    assertThat(deploy.post(COMMAND, Questions.command(passport.string("agent_id"), "ls")).status())
        .isEqualTo(403);
    String other = Questions.hosted(service, 5);
    assertThat(deploy.get("/api/passports/" + other).status()).isEqualTo(404);
    assertThat(deploy.patch("/api/passports/" + other, "{\"name\": \"x\"}").status())
        .isEqualTo(404);
    assertThat(deploy.get("/api/orgs/" + service.org() + "/policies").status()).isEqualTo(404);
    assertThat(
            deploy
                .post(
                    "/api/passports?org_id=" + service.org(),
                    Questions.passport(Questions.freshAgent(), 5))
                .status())
        .isEqualTo(404);
  }

  @Tag("attack")
  @ParameterizedTest
  @EnumSource
  void endsWithItsExpiryAndItsRevocationOnEachNode(EachStore store) {
    TestService first = first(store);
    TestService last = last(store);
    for (int i = 0; i < 10; i++) {
      Reply made = made(first.admin(), "read_only", "");
      assertThat(with(last, made).get("/api/orgs").status()).isEqualTo(200);
      Reply revoked = first.admin().delete(TOKENS + "/" + made.string("token_id"));
      assertThat(revoked.status()).as(revoked.toString()).isEqualTo(200);
      long answered = System.nanoTime();
      while (with(last, made).get("/api/orgs").status() == 200) {
        assertThat(System.nanoTime() - answered).isLessThan(1_000_000_000L);
      }
      assertThat(with(first, made).get("/api/orgs").status()).isEqualTo(401);
    }
    String end = CLOCK.instant().plus(Duration.ofMinutes(5)).toString();
    Reply made = made(first.admin(), "read_only", ", 'expires_at': '" + end + "'");
    assertThat(with(last, made).get("/api/orgs").status()).isEqualTo(200);
    CLOCK.advance(Duration.ofMinutes(6));
    assertThat(with(last, made).get("/api/orgs").status()).isEqualTo(401);
    assertThat(create(first.admin(), "operator", ", 'expires_at': '" + end + "'").status())
        .isEqualTo(400);
    assertThat(create(first.admin(), "operator", ", 'org_id': '" + first.org() + "'").status())
        .isEqualTo(400);
    assertThat(create(first.admin(), "emperor", "").string("field")).isEqualTo("role");
    assertThat(first.admin().delete(TOKENS + "/admin").status()).isEqualTo(409);
    assertThat(first.admin().delete(TOKENS + "/tok_unknown").status()).isEqualTo(404);
  }

  /** What a token was allowed, and the log of its organization, follow its revocation. */
  @ParameterizedTest
  @EnumSource
  void itsDecisionTokensEndAndItsOrganizationReadsOfIt(EachStore store) {
    TestService service = first(store);
    Reply made = made(service.admin(), "operator", "");
    String decided = decided(with(service, made), Questions.hosted(service, 5));
    assertThat(Questions.verdict(service, decided)).isEqualTo("valid");
    assertThat(service.admin().delete(TOKENS + "/" + made.string("token_id")).status())
        .isEqualTo(200);
    assertThat(Questions.verdict(service, decided)).isEqualTo("key_revoked");

    String own = Questions.Tenant.made(service, "Revoked works", "'read'").org();
    Reply deploy = made(service.admin(), "deploy", ", 'org_id': '" + own + "'");
    assertThat(service.admin().delete(TOKENS + "/" + deploy.string("token_id")).status())
        .isEqualTo(200);
    assertThat(service.admin().get("/api/audit?kind=config&org_id=" + own).text())
        .contains("operator_token_created", "operator_token_revoked");
  }

  private static String decided(Calls calls, String agent) {
    Reply reply = calls.post(DECIDE, Questions.command(agent, "ls"));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.string("token");
  }

  /**
   * The admin token of the first start can go when an operator's token is there, and not before.
   */
  @Test
  void theAdminTokenIsRetiredAndTheServerStartsWithout(@TempDir Path folder) throws Exception {
    Map<String, String> unset = Map.of("ADMIN_TOKEN", "");
    Reply made;
    try (TestService service = TestService.start(folder, unset)) {
      String text = Files.readString(folder.resolve("first-run.txt"));
      String token =
          Pattern.compile("sca_[A-Za-z0-9_-]+")
              .matcher(text)
              .results()
              .map(MatchResult::group)
              .findFirst()
              .orElseThrow();
      Calls admin = service.nobody().with("Authorization", "Bearer " + token);
      made(admin, "read_only", "");
      assertThat(admin.delete(TOKENS + "/admin").status()).isEqualTo(409);
      made = made(admin, "operator", "");
      String path = TOKENS + "/" + made.string("token_id");
      Calls operator = with(service, made);
      String agent = Questions.freshAgent();
      assertThat(admin.post("/api/passports", Questions.passport(agent, 5)).status())
          .isEqualTo(201);
      String decided = decided(admin, agent);
      assertThat(Questions.verdict(service, decided)).isEqualTo("valid");
      assertThat(operator.delete(TOKENS + "/admin").status()).isEqualTo(200);
      assertThat(Questions.verdict(service, decided)).isEqualTo("key_revoked");
      assertThat(admin.get(TOKENS).status()).isEqualTo(401);
      assertThat(operator.delete(TOKENS + "/admin").status()).isEqualTo(404);
      assertThat(operator.delete(path).status()).isEqualTo(409);
      Reply second = made(operator, "operator", "");
      assertThat(operator.delete(path).status()).isEqualTo(200);
      assertThat(operator.get(TOKENS).status()).isEqualTo(401);
      made = second;
    }
    try (TestService service = TestService.start(folder, unset)) {
      assertThat(with(service, made).get(TOKENS).status()).isEqualTo(200);
      assertThat(with(service, made).delete(TOKENS + "/" + made.string("token_id")).status())
          .isEqualTo(409);
    }
  }
}
