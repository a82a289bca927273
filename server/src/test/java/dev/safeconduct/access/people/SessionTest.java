package dev.safeconduct.access.people;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** People sign in; what their session opens, and to whom it is not honoured. */
final class SessionTest {
  @AutoClose
  private static final TestService service =
      TestService.start(Map.of("RATE_LOGIN_PER_MINUTE", "0"));

  private static final Calls operator = service.operator();

  private static final Calls member = service.member(service.org(), "member@example.com", "member");

  private static Calls without(Calls ignored, String header) {
    return ignored.with(header, "");
  }

  @ParameterizedTest
  @CsvSource({
    "owner, 200, 200, 201, 200",
    "admin, 200, 200, 201, 200",
    "member, 200, 403, 201, 403",
    "auditor, 200, 403, 403, 403",
  })
  void aRoleHasItsScopes(String role, int audit, int keys, int issue, int members) {
    Calls person = service.member(service.org(), role + "-of-four@example.com", role);
    String org = "/api/orgs/" + service.org();
    assertThat(person.get("/api/audit").status()).isEqualTo(audit);
    assertThat(person.get(org + "/keys").status()).isEqualTo(keys);
    assertThat(person.post("/api/passports", "{\"name\": \"By " + role + "\"}").status())
        .isEqualTo(issue);
    assertThat(person.get(org + "/members").status()).isEqualTo(members);
    assertThat(person.get("/api/orgs").status()).isEqualTo(403);
    assertThat(person.get("/api/auth/me").string("role")).isEqualTo(role);
  }

  @Test
  void anOperatorsSessionIsTheAdminCredential() {
    assertThat(operator.get("/api/orgs").status()).isEqualTo(200);
    assertThat(operator.post("/api/orgs", "{\"name\": \"Another\"}").status()).isEqualTo(201);
    Reply me = operator.get("/api/auth/me");
    assertThat(me.json().isTrue("operator")).isTrue();
    String agent = operator.post("/api/passports", "{\"name\": \"x\"}").string("agent_id");
    assertThat(
            operator
                .post(
                    "/api/admin/status",
                    "{\"agent_id\": \"" + agent + "\", \"status\": \"suspended\"}")
                .status())
        .isEqualTo(200);
    // The record tells which person it was.
    assertThat(service.owner().get("/api/audit?kind=status_change").text())
        .contains("\"caller\":\"account:" + me.string("account_id") + "\"");
  }

  @Test
  void aMemberSeesNothingOfOtherOrganizations() {
    String other = service.admin().post("/api/orgs", "{\"name\": \"O\"}").string("org_id");
    String agent =
        service
            .admin()
            .post("/api/passports", "{\"name\": \"theirs\", \"org_id\": \"" + other + "\"}")
            .string("agent_id");
    assertThat(member.get("/api/passports/" + agent).status()).isEqualTo(404);
    assertThat(member.get("/api/passports?org_id=" + other).status()).isEqualTo(404);
    assertThat(member.get("/api/audit").text()).doesNotContain(other);
  }

  /** A page of another site can make a browser send cookies along, but not this. */
  @Test
  void anUnsafeRequestByCookieMustBeOfOurOwnPage() {
    String body = "{\"name\": \"forged\"}";
    for (Calls forged :
        List.of(
            member.with("Sec-Fetch-Site", "cross-site"),
            member.with("Sec-Fetch-Site", "same-site"),
            member.with("Sec-Fetch-Site", "none"),
            without(member, "Sec-Fetch-Site").with("Origin", "https://evil.example"),
            without(member, "Sec-Fetch-Site").with("Origin", "null"),
            without(member, "X-CSRF-Token"),
            member.with("X-CSRF-Token", "guess"),
            member.with("X-CSRF-Token", operator.get("/api/auth/me").string("csrf_token")))) {
      assertThat(forged.post("/api/passports", body).status()).isEqualTo(401);
    }
    assertThat(member.post("/api/passports", body).status()).isEqualTo(201);
    // Reading is harmless: the answer does not reach the other page.
    Calls reading = without(member, "X-CSRF-Token").with("Sec-Fetch-Site", "cross-site");
    assertThat(reading.get("/api/passports").status()).isEqualTo(200);
    assertThat(reading.get("/api/passports").header("Access-Control-Allow-Origin")).isEmpty();
  }

  @Test
  void aHeadersCredentialGoesBeforeACookie() {
    assertThat(member.with("X-API-Key", service.key()).get("/api/auth/me").string("kind"))
        .isEqualTo("key");
    assertThat(member.with("X-API-Key", "sck_wrong").get("/api/auth/me").status()).isEqualTo(401);
  }

  @Test
  void aSessionIsNotTakenWhereDecisionsAreMade() {
    String path = "/api/verify/policy/system.command.execute.v1";
    String body = "{\"context\": {\"agent_id\": \"ap_x\", \"command\": \"ls\"}}";
    assertThat(member.post(path, body).status()).isEqualTo(401);
    assertThat(operator.post(path, body).status()).isEqualTo(401);
  }

  @Test
  void aSessionsTokenIsNoBearerToken() {
    Reply login = login("member@example.com", TestService.PASSWORD);
    String token = Pages.cookies(login).replaceAll(".*safeconduct_session=([^;]+).*", "$1");
    assertThat(service.nobody().with("Authorization", "Bearer " + token).get("/api/audit").status())
        .isEqualTo(401);
  }

  @Test
  void cookiesAreForOurServerAlone() {
    Reply login = login("member@example.com", TestService.PASSWORD);
    List<String> cookies = login.headers().allValues("Set-Cookie");
    assertThat(cookies).hasSize(2).allMatch(cookie -> cookie.contains("HttpOnly; SameSite=Lax"));
    assertThat(login.text()).doesNotContain("scr_", "eyJ");
    try (TestService behindTls =
        TestService.start(Map.of("BASE_URL", "https://safeconduct.example.com"))) {
      behindTls.setPassword(behindTls.ownerLink(), "a@example.com");
      Reply reply = behindTls.login("a@example.com");
      assertThat(reply.headers().allValues("Set-Cookie"))
          .allMatch(cookie -> cookie.endsWith("; Secure"));
    }
  }

  @Test
  void signingOutEndsTheSessionAtOnce() {
    Calls person = service.signedIn("member@example.com");
    assertThat(person.get("/api/auth/me").status()).isEqualTo(200);
    assertThat(without(person, "X-CSRF-Token").post("/api/auth/logout", "{}").status())
        .isEqualTo(401);
    assertThat(person.get("/api/auth/me").status()).isEqualTo(200);
    Reply out = person.post("/api/auth/logout", "{}");
    assertThat(out.status()).isEqualTo(200);
    assertThat(out.headers().allValues("Set-Cookie")).allMatch(c -> c.contains("Max-Age=0"));
    assertThat(person.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(person.post("/api/auth/refresh", "{}").status()).isEqualTo(401);
    assertThat(person.post("/api/auth/logout", "{}").status()).isEqualTo(200);
  }

  /** The other cookie may be lost; the session must not live on behind a good answer. */
  @Test
  void theSessionCookieAloneIsEnoughToSignOut() {
    for (String path : List.of("/api/auth/logout", "/console/sign-out")) {
      Reply login = login("member@example.com", TestService.PASSWORD);
      String csrf = login.string("csrf_token");
      Calls person =
          service
              .nobody()
              .with(
                  "Cookie",
                  Pages.cookies(login).replaceAll(".*(safeconduct_session=[^;]+).*", "$1"))
              .with("Sec-Fetch-Site", "same-origin")
              .with("X-CSRF-Token", csrf);
      boolean form = path.startsWith("/console");
      Calls sender =
          form ? person.with("Content-Type", "application/x-www-form-urlencoded") : person;
      Calls stranger = sender.with("X-CSRF-Token", "guess");
      assertThat(stranger.post(path, form ? "csrf_token=guess" : "{}").status())
          .isEqualTo(form ? 403 : 401);
      assertThat(person.get("/api/auth/me").status()).as(path).isEqualTo(200);
      assertThat(sender.post(path, form ? "csrf_token=" + csrf : "{}").status())
          .isEqualTo(form ? 303 : 200);
      assertThat(person.get("/api/auth/me").status()).as(path).isEqualTo(401);
    }
  }

  @Test
  void aRefusedChangeMakesNoOperator() {
    String org = service.admin().post("/api/orgs", "{\"name\": \"Last\"}").string("org_id");
    Calls owner = service.member(org, "last-owner@example.com", "owner");
    String path = "/api/orgs/" + org + "/members/" + owner.get("/api/auth/me").string("account_id");
    String both = "{\"operator\": true, \"role\": \"auditor\"}";
    Reply refused = service.admin().patch(path, both);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.text()).contains("\"last_owner\"");
    assertThat(owner.get("/api/auth/me").json().isTrue("operator")).isFalse();
    assertThat(owner.patch(path, "{\"operator\": true}").status()).isEqualTo(403);
    assertThat(service.admin().patch(path, "{\"operator\": true, \"role\": \"owner\"}").status())
        .isEqualTo(200);
    Calls again = service.signedIn("last-owner@example.com");
    assertThat(again.get("/api/auth/me").json().isTrue("operator")).isTrue();
  }

  @Test
  void aChangedRoleOrPasswordEndsAllSessions() {
    Calls person = service.member(service.org(), "changing@example.com", "admin");
    String id = person.get("/api/auth/me").string("account_id");
    String path = "/api/orgs/" + service.org() + "/members/" + id;
    assertThat(service.admin().patch(path, "{\"role\": \"auditor\"}").status()).isEqualTo(200);
    assertThat(person.get("/api/auth/me").status()).isEqualTo(401);
    Calls again = service.signedIn("changing@example.com");
    assertThat(again.get("/api/orgs/" + service.org() + "/keys").status()).isEqualTo(403);
    service.nobody().post("/api/auth/password/forgot", "{\"email\": \"changing@example.com\"}");
    String link =
        dev.safeconduct.testkit.Letters.path(
            service.letters().await("changing@example.com", 2).getLast(), "/password/");
    service.setPassword(link, "changing@example.com");
    assertThat(again.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(service.nobody().get(link).status()).as("works once").isEqualTo(410);
    Calls last = service.signedIn("changing@example.com");
    assertThat(service.admin().delete(path).status()).isEqualTo(200);
    assertThat(last.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(login("changing@example.com", TestService.PASSWORD).status()).isEqualTo(403);
  }

  @Test
  void aRefreshCookieIsExchangedAndOneThatComesBackLaterIsAThief() {
    Calls person = service.signedIn("member@example.com");
    Reply first = person.post("/api/auth/refresh", "{}");
    assertThat(first.status()).as(first.toString()).isEqualTo(200);
    Calls renewed = person.with("Cookie", Pages.cookies(first));
    assertThat(renewed.get("/api/auth/me").status()).isEqualTo(200);
    assertThat(renewed.post("/api/auth/refresh", "{}").status()).isEqualTo(200);
    // Exchanged twice ago: no page of ours is that slow.
    assertThat(person.post("/api/auth/refresh", "{}").status()).isEqualTo(401);
    for (Calls forged :
        List.of(renewed.with("Sec-Fetch-Site", "cross-site"), without(renewed, "X-CSRF-Token"))) {
      assertThat(forged.post("/api/auth/refresh", "{}").status()).isEqualTo(401);
    }
  }

  /** Nothing else goes on with a session, whatever is sent. */
  @Test
  void onlyItsCookieRefreshesASession() {
    for (Calls calls : List.of(service.nobody(), service.admin(), service.owner())) {
      assertThat(calls.post("/api/auth/refresh", "{}").status()).isEqualTo(401);
    }
  }

  @Test
  void aPersonOfTwoOrganizationsChoosesOne() {
    String other = service.admin().post("/api/orgs", "{\"name\": \"Two\"}").string("org_id");
    Calls person = service.member(other, "of-two@example.com", "auditor");
    service
        .admin()
        .post(
            "/api/orgs/" + service.org() + "/members",
            "{\"email\": \"of-two@example.com\", \"role\": \"member\"}");
    Calls again = service.signedIn("of-two@example.com");
    assertThat(again.get("/api/auth/me").string("org_id")).isEqualTo(other);
    Reply moved = again.post("/api/auth/refresh", "{\"org_id\": \"" + service.org() + "\"}");
    Calls there = again.with("Cookie", Pages.cookies(moved));
    assertThat(there.get("/api/auth/me").string("role")).isEqualTo("member");
    assertThat(there.get("/api/orgs/" + other + "/keys").status()).isEqualTo(403);
    assertThat(there.post("/api/auth/refresh", "{\"org_id\": \"org_x\"}").status()).isEqualTo(404);
    assertThat(person.get("/api/auth/me").status()).isIn(200, 401);
  }

  /** A mailbox is not filled by adding somebody, removing them and adding them again. */
  @Test
  void anOrganizationInvitesAMailboxThreeTimesADay() {
    String org = service.admin().post("/api/orgs", "{\"name\": \"Loud\"}").string("org_id");
    Calls owner = service.member(org, "loud@example.com", "owner");
    String members = "/api/orgs/" + org + "/members";
    for (int i = 1; i <= 4; i++) {
      String body = "{\"email\": \"victim+" + i + "@example.com\", \"role\": \"auditor\"}";
      Reply added = owner.post(members, body);
      assertThat(added.status()).as(added.toString()).isEqualTo(i < 4 ? 201 : 429);
      assertThat(service.admin().post(members, body).status()).isEqualTo(i < 4 ? 409 : 201);
      assertThat(owner.post(members, body).status()).as("a member is not added").isEqualTo(409);
    }
  }

  static Reply login(String email, String password) {
    return service
        .nobody()
        .post(
            "/api/auth/login",
            "{\"email\": \"" + email + "\", \"password\": \"" + password + "\"}");
  }
}
