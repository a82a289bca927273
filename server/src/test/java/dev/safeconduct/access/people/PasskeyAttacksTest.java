package dev.safeconduct.access.people;

import static dev.safeconduct.access.people.PasskeyVisit.ACCOUNT;
import static dev.safeconduct.access.people.PasskeyVisit.SECOND;
import static dev.safeconduct.access.people.PasskeyVisit.SIGN_IN;
import static dev.safeconduct.access.people.PasskeyVisit.add;
import static dev.safeconduct.access.people.PasskeyVisit.alone;
import static dev.safeconduct.access.people.PasskeyVisit.awaitLogin;
import static dev.safeconduct.access.people.PasskeyVisit.browser;
import static dev.safeconduct.access.people.PasskeyVisit.codes;
import static dev.safeconduct.access.people.PasskeyVisit.half;
import static dev.safeconduct.access.people.PasskeyVisit.password;
import static dev.safeconduct.access.people.PasskeyVisit.passwordCookies;
import static dev.safeconduct.access.people.PasskeyVisit.register;
import static dev.safeconduct.access.people.PasskeyVisit.second;
import static dev.safeconduct.access.people.PasskeyVisit.secondKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.app.ServerConfig;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Letters;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.SoftKey;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sign-in by passkey admits the holder of the passkey, and what copies or bends an answer fails.
 */
final class PasskeyAttacksTest {
  private static final String ORIGIN = "https://safeconduct.example.com";

  private static final MovableClock clock = new MovableClock();

  @AutoClose
  private static final TestService service =
      TestService.start(Map.of("BASE_URL", ORIGIN, "RATE_LOGIN_PER_MINUTE", "0"), clock);

  @BeforeAll
  static void start() {
    service.setPassword(service.ownerLink(), TestService.OPERATOR);
  }

  /** A new member with a passkey; returns the recovery codes. */
  private static List<String> join(String email, String role, SoftKey key) {
    return register(service.member(service.org(), email, role), key);
  }

  @Test
  void aPasskeySignsInAloneAndAsSecondStep() {
    var key = new SoftKey(ORIGIN);
    assertThat(join("holder@example.com", "member", key)).hasSize(ManageFactors.CODES);
    Reply alone = alone(service, key);
    assertThat(alone.header("Location")).contains("/console/keys");
    assertThat(browser(service, alone).get(ACCOUNT).text())
        .contains("Laptop &lt;b&gt;", "this one")
        .doesNotContain("Laptop <b>");
    key.verifies = false;
    Reply second = secondKey(password(service, "holder@example.com"), key);
    assertThat(browser(service, second).get("/api/auth/me").string("email"))
        .isEqualTo("holder@example.com");
    assertThat(service.admin().get("/api/audit?kind=login&limit=50").text())
        .contains("passkey_added", "password_and_passkey", "\"by\":\"passkey\"");
    assertThat(service.letters().await("holder@example.com", 2).toString())
        .contains("was added to your account");
  }

  @Test
  void aBentAnswerIsRefused() {
    var victim = new SoftKey(ORIGIN);
    join("victim@example.com", "owner", victim);
    var attacker = new SoftKey(ORIGIN);
    join("attacker@example.com", "member", attacker);
    String own = attacker.handle;
    Map<String, Consumer<SoftKey>> bends =
        Map.of(
            "another site", key -> key.origin = "https://safeconduct.example.com.evil.example",
            "another port", key -> key.origin = ORIGIN + ":8443",
            "another relying party", key -> key.rpId = "evil.example",
            "a page in a frame of another site", key -> key.framed = true,
            "a person not verified", key -> key.verifies = false,
            "another person's handle", key -> key.handle = victim.handle,
            "no handle", key -> key.handle = "",
            "a counter that fell", key -> key.count = -1);
    alone(service, attacker);
    bends.forEach((name, bend) -> {
      long count = attacker.count;
      bend.accept(attacker);
      Reply refused = alone(service, attacker);
      assertThat(refused.status()).as(name + ": " + refused).isEqualTo(401);
      assertThat(refused.headers().allValues("Set-Cookie").toString())
          .as(name)
          .doesNotContain("safeconduct_session");
      attacker.origin = ORIGIN;
      attacker.framed = false;
      attacker.rpId = "safeconduct.example.com";
      attacker.verifies = true;
      attacker.handle = own;
      attacker.count = count;
    });
    assertThat(alone(service, attacker).status()).as("as it is").isEqualTo(303);
    assertThat(alone(service, new SoftKey(ORIGIN)).status()).as("an unknown one").isEqualTo(401);
    Calls pending = password(service, "victim@example.com");
    assertThat(secondKey(pending, attacker).status()).as("another person's").isEqualTo(401);
    for (String junk : List.of("", "{}", "[]", "null", "{\"id\":1}", "x".repeat(30_000))) {
      assertThat(second(pending, "passkey", Map.of("credential", junk)).status())
          .as(junk.length() + " " + junk.substring(0, Math.min(10, junk.length())))
          .isEqualTo(401);
    }
    assertThat(secondKey(pending, victim).status()).isEqualTo(303);
  }

  @Test
  void anAnswerCountsOnceInItsBrowserWithinFiveMinutes() {
    var key = new SoftKey(ORIGIN);
    join("once@example.com", "member", key);
    Reply page = service.nobody().get(SIGN_IN);
    JsonObject options = SoftKey.options(page);
    Map<String, String> answer = Map.of("credential", key.get(options));
    Reply other = service.nobody().get(SIGN_IN);
    assertThat(Pages.submit(service.nobody(), SIGN_IN + "/passkey", other, answer).status())
        .as("another browser")
        .isEqualTo(401);
    assertThat(Pages.submit(service.nobody(), SIGN_IN + "/passkey", page, answer).status())
        .isEqualTo(303);
    assertThat(Pages.submit(service.nobody(), SIGN_IN + "/passkey", page, answer).status())
        .as("replayed")
        .isEqualTo(401);
    Reply late = service.nobody().get(SIGN_IN);
    clock.advance(Duration.ofMinutes(5));
    assertThat(
            Pages.submit(
                    service.nobody(),
                    SIGN_IN + "/passkey",
                    late,
                    Map.of("credential", key.get(SoftKey.options(late))))
                .status())
        .as("late")
        .isEqualTo(401);
    Calls pending = password(service, "once@example.com");
    clock.advance(PendingSignIns.LIFE);
    assertThat(pending.get(SECOND).header("Location").orElse("")).contains("sign_in_again");
  }

  @Test
  void nothingIsOpenBeforeTheSecondStep() {
    var key = new SoftKey(ORIGIN);
    List<String> codes = join("half@example.com", "owner", key);
    Calls pending = password(service, "half@example.com");
    for (String page : List.of("/console", ACCOUNT, "/console/keys")) {
      assertThat(pending.get(page).header("Location").orElse("")).as(page).startsWith(SIGN_IN);
    }
    awaitLogin(service, "password_accepted");
    service.nobody().post("/api/auth/password/forgot", "{\"email\": \"half@example.com\"}");
    List<String> letters = service.letters().await("half@example.com", 3);
    service.setPassword(Letters.path(letters.getLast(), "/password/"), "half@example.com");
    awaitLogin(service, "password_link_accepted");
    pending = password(service, "half@example.com");
    assertThat(pending.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(pending.post("/api/auth/refresh", "{}").status()).isEqualTo(401);
    assertThat(
            second(
                    pending,
                    "register",
                    Map.of(
                        "name",
                        "mine",
                        "credential",
                        new SoftKey(ORIGIN).create(creation(pending, key))))
                .status())
        .as("a passkey of whoever knows the password alone")
        .isIn(400, 401, 409);
    Reply api =
        service
            .nobody()
            .post(
                "/api/auth/login",
                "{\"email\": \"half@example.com\", \"password\": \""
                    + TestService.PASSWORD
                    + "\"}");
    assertThat(api.status()).isEqualTo(403);
    assertThat(second(pending, "recovery-code", Map.of("code", "aaaa-bbbb-cccc-dddd")).status())
        .isEqualTo(401);
    Reply forged =
        Pages.post(pending, SECOND + "/recovery-code", "csrf_token=x&code=" + codes.getFirst());
    assertThat(forged.status()).isEqualTo(403);
    assertThat(
            second(
                    pending,
                    "recovery-code",
                    Map.of("code", " " + codes.getFirst().toUpperCase(java.util.Locale.ROOT)))
                .status())
        .isEqualTo(303);
  }

  /** The options of a registration, made from those of a sign-in: the challenge is not for it. */
  private static JsonObject creation(Calls pending, SoftKey key) {
    return SoftKey.options(pending.get(SECOND))
        .with("user", JsonObject.builder().put("id", key.handle).build());
  }

  @Test
  void aRecoveryCodeWorksOnceAlsoInParallel() {
    List<String> codes = join("codes@example.com", "member", new SoftKey(ORIGIN));
    Calls pending = password(service, "codes@example.com");
    String form =
        Pages.form(Pages.csrfToken(pending.get(SECOND)), Map.of("code", codes.getFirst()));
    var statuses = new ArrayList<Integer>();
    for (Reply reply : AtOnce.run(8, _ -> Pages.post(pending, SECOND + "/recovery-code", form))) {
      statuses.add(reply.status());
    }
    assertThat(statuses).containsOnly(303, 401);
    assertThat(statuses.stream().filter(status -> status == 303)).hasSize(1);
    assertThat(service.letters().await("codes@example.com", 3).toString())
        .contains("with a recovery code");
  }

  @Test
  void aCredentialIsRegisteredOnce() {
    var key = new SoftKey(ORIGIN);
    join("first@example.com", "member", key);
    assertThat(add(service.member(service.org(), "second@example.com", "member"), key).status())
        .isEqualTo(409);
  }

  @Test
  void whoeverHasLeftCannotSignIn() {
    var key = new SoftKey(ORIGIN);
    List<String> codes = join("left@example.com", "member", key);
    Calls pending = password(service, "left@example.com");
    assertThat(service.admin().delete(member("left@example.com")).status()).isEqualTo(200);
    assertThat(alone(service, key).status()).isEqualTo(403);
    assertThat(secondKey(pending, key).status()).isEqualTo(403);
    assertThat(second(pending, "recovery-code", Map.of("code", codes.getFirst())).status())
        .isEqualTo(403);
  }

  /** WebAuthn Level 3 section 7.1 step 25; and names go into emails, the log and pages. */
  @Test
  void aRegistrationOfJunkIsRefused() {
    Calls person = service.member(service.org(), "junk@example.com", "member");
    assertThat(add(person, new SoftKey(ORIGIN, 1024)).status()).as("a long id").isEqualTo(400);
    for (String name : List.of("", " ", "a\u0000b", "a\nb", "a\u202eb", "x".repeat(61))) {
      Reply page = person.get(ACCOUNT);
      Map<String, String> fields =
          Map.of("name", name, "credential", new SoftKey(ORIGIN).create(SoftKey.options(page)));
      Reply refused =
          Pages.post(person, ACCOUNT + "/passkeys", Pages.form(Pages.csrfToken(page), fields));
      assertThat(refused.status()).as(name.codePoints().boxed().toList().toString()).isEqualTo(400);
    }
    assertThat(add(person, new SoftKey(ORIGIN, 1023)).status()).isEqualTo(200);
  }

  private static String member(String email) {
    String members = "/api/orgs/" + service.org() + "/members";
    return members
        + "/"
        + service
            .admin()
            .get(members + "?limit=200")
            .json()
            .array("members")
            .orElseThrow()
            .elements()
            .stream()
            .map(each -> (JsonObject) each)
            .filter(each -> each.string("email").orElse("").equals(email))
            .findFirst()
            .orElseThrow()
            .string("account_id")
            .orElseThrow();
  }

  @Test
  void aResetIsForOwnersAndNotAcrossOrganizations() {
    var key = new SoftKey(ORIGIN);
    join("lost@example.com", "owner", key);
    Calls open = browser(service, alone(service, key));
    String factor = member("lost@example.com") + "/second-factor";
    Calls admin = service.member(service.org(), "admin@example.com", "admin");
    Calls owner = service.member(service.org(), "owner@example.com", "owner");
    assertThat(service.owner().delete(factor).status()).as("a key").isEqualTo(403);
    assertThat(admin.delete(factor).status()).as("an admin, an owner's").isEqualTo(403);
    String other = service.admin().post("/api/orgs", "{\"name\": \"Other\"}").string("org_id");
    service
        .admin()
        .post(
            "/api/orgs/" + other + "/members",
            "{\"email\": \"lost@example.com\", \"role\": \"member\"}");
    assertThat(owner.delete(factor).status()).as("a member elsewhere too").isEqualTo(403);
    for (Calls self : List.of(owner, service.signedIn(TestService.OPERATOR))) {
      String own = self.get("/api/auth/me").string("account_id");
      assertThat(self.delete("/api/orgs/" + service.org() + "/members/" + own + "/second-factor"))
          .as("one's own")
          .extracting(Reply::status)
          .isEqualTo(403);
    }
    assertThat(service.admin().delete(factor).status()).isEqualTo(200);
    assertThat(open.get("/api/auth/me").status()).as("the session ends").isEqualTo(401);
    assertThat(alone(service, key).status()).isEqualTo(401);
    service.signedIn("lost@example.com");
    assertThat(service.admin().get("/api/audit?kind=login&limit=50").text())
        .contains("second_factor_reset");
    assertThat(String.join(" ", service.letters().await("lost@example.com", 4)))
        .contains("removed all passkeys");
  }

  @Test
  void oneEndsOnesOwnSessionsAndNobodyElses() {
    Calls one = service.member(service.org(), "sessions@example.com", "member");
    Calls two = service.signedIn("sessions@example.com");
    Calls stranger = service.member(service.org(), "stranger@example.com", "member");
    Reply page = one.get(ACCOUNT);
    String csrf = Pages.csrfToken(page);
    String others = Pages.csrfToken(stranger.get(ACCOUNT));
    List<String> ids =
        Pattern.compile("value=\"(ses_[0-9a-f]+)\"")
            .matcher(page.text())
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(ids).as("of the password's link, and of the second browser").hasSize(2);
    for (String id : ids) {
      String form = Pages.form(others, Map.of("id", id));
      assertThat(Pages.post(stranger, ACCOUNT + "/sessions/end", form).status()).isEqualTo(404);
    }
    assertThat(two.get("/api/auth/me").status()).isEqualTo(200);
    for (String id : ids) {
      String form = Pages.form(csrf, Map.of("id", id));
      assertThat(Pages.post(one, ACCOUNT + "/sessions/end", form).status()).isEqualTo(303);
    }
    assertThat(two.get("/api/auth/me").status()).isEqualTo(401);
    Calls three = service.signedIn("sessions@example.com");
    assertThat(
            Pages.post(one, ACCOUNT + "/sessions/end-others", Pages.form(csrf, Map.of())).status())
        .isEqualTo(303);
    assertThat(three.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(one.get("/api/auth/me").status()).isEqualTo(200);
    assertThat(one.get(ACCOUNT).text()).contains("data-passkey");
    // Another page of the browser renews its session every 15 minutes: that is no new sign-in.
    Calls kept = service.nobody().with("Cookie", cookies(service, "sessions@example.com"));
    clock.advance(Duration.ofMinutes(16));
    assertThat(kept.get(ACCOUNT).text()).contains("Sign in again").doesNotContain("data-passkey");
  }

  /** The cookies of a session that began with the password. */
  private static String cookies(TestService on, String email) {
    Reply reply =
        on.nobody()
            .post(
                "/api/auth/login",
                "{\"email\": \"" + email + "\", \"password\": \"" + TestService.PASSWORD + "\"}");
    return Pages.cookies(reply);
  }

  @Test
  void whoMustHaveASecondFactorRegistersOneFirst(@TempDir Path folder) {
    Map<String, String> settings = Map.of("BASE_URL", ORIGIN, "RATE_LOGIN_PER_MINUTE", "3");
    String before;
    String org;
    try (TestService first = TestService.start(folder, settings)) {
      first.setPassword(first.ownerLink(), TestService.OPERATOR);
      before = cookies(first, TestService.OPERATOR);
      org = first.org();
      first.member(org, "plain@example.com", "member");
      first.member(org, "admin@example.com", "admin");
    }
    var must = new HashMap<>(settings);
    must.put("MFA_REQUIRED", "admins");
    try (TestService then = TestService.start(folder, must)) {
      Calls again = then.nobody().with("Cookie", before).with("Sec-Fetch-Site", "same-origin");
      assertThat(again.get("/api/auth/me").status())
          .as("a session that began before MFA_REQUIRED was set")
          .isEqualTo(401);
      assertThat(then.signedIn("plain@example.com").get("/api/auth/me").status()).isEqualTo(200);
      Calls pending = password(then, "admin@example.com");
      var key = new SoftKey(ORIGIN);
      Reply made =
          second(
              pending,
              "register",
              Map.of(
                  "name", "Key", "credential", key.create(SoftKey.options(pending.get(SECOND)))));
      assertThat(made.status()).as(made.toString()).isEqualTo(200);
      assertThat(codes(made)).hasSize(ManageFactors.CODES);
      Calls person = browser(then, made);
      Reply last =
          Pages.post(
              person,
              ACCOUNT + "/passkeys/remove",
              Pages.form(
                  Pages.csrfToken(person.get(ACCOUNT)),
                  Map.of("id", value(person.get(ACCOUNT), "id"))));
      assertThat(last.status()).isEqualTo(409);
      assertThat(last.text()).contains("This is your last passkey");
      Calls promoted = then.signedIn("plain@example.com");
      assertThat(
              then.admin()
                  .patch(
                      "/api/orgs/"
                          + org
                          + "/members/"
                          + promoted.get("/api/auth/me").string("account_id"),
                      "{\"role\": \"admin\"}")
                  .status())
          .isEqualTo(200);
      assertThat(promoted.get("/api/auth/me").status()).isEqualTo(401);
      password(then, "plain@example.com");
      Calls guess = password(then, "admin@example.com");
      int status = 0;
      for (int i = 0; i < 4; i++) {
        status = second(guess, "recovery-code", Map.of("code", "guess" + i)).status();
      }
      assertThat(status).as("guesses").isEqualTo(429);
    }
  }

  private static String value(Reply page, String name) {
    var found = Pattern.compile("name=\"" + name + "\" value=\"([^\"]+)\"").matcher(page.text());
    assertThat(found.find()).isTrue();
    return found.group(1);
  }

  @Test
  void anyNodeFinishesWhatAnotherBegan(@TempDir Path folder) {
    Map<String, String> settings =
        Map.of(
            "DATABASE_URL",
            PostgresServer.shared().freshDatabase(),
            "SAFECONDUCT_MASTER_KEY",
            "the-master-key-of-both-of-the-nodes",
            "BASE_URL",
            ORIGIN);
    try (TestService one = TestService.start(folder.resolve("one"), settings);
        TestService two = TestService.start(folder.resolve("two"), settings)) {
      var key = new SoftKey(ORIGIN);
      List<String> codes = register(one.operator(), key);
      Reply page = one.nobody().get(SIGN_IN);
      Map<String, String> answer = Map.of("credential", key.get(SoftKey.options(page)));
      assertThat(Pages.submit(two.nobody(), SIGN_IN + "/passkey", page, answer).status())
          .isEqualTo(303);
      assertThat(Pages.submit(one.nobody(), SIGN_IN + "/passkey", page, answer).status())
          .as("replayed on the other node")
          .isEqualTo(401);
      String cookies = passwordCookies(one, TestService.OPERATOR);
      Calls onOne = half(one, cookies);
      Reply stepPage = onOne.get(SECOND);
      String form = Pages.form(Pages.csrfToken(stepPage), Map.of("code", codes.getFirst()));
      Calls onTwo = half(two, cookies);
      assertThat(Pages.post(onTwo, SECOND + "/recovery-code", form).status()).isEqualTo(303);
      assertThat(Pages.post(onOne, SECOND + "/recovery-code", form).status()).isEqualTo(401);
    }
  }

  /** A setting that could not be obeyed stops the start. */
  @Test
  void aSecondFactorIsDemandedOnlyWhereOneIsPossible() {
    Map<Map<String, String>, String> faults =
        Map.of(
            Map.of("BASE_URL", "http://127.0.0.1:8080"), "needs a BASE_URL",
            Map.of("BASE_URL", "http://safeconduct.example.com"), "needs a BASE_URL",
            Map.of("BASE_URL", "https://192.0.2.1"), "needs a BASE_URL",
            Map.of("BASE_URL", ORIGIN, "MFA_REQUIRED", "some"), "true, admins or false",
            Map.of(
                    "BASE_URL", ORIGIN,
                    "OIDC_ISSUER", "https://id.example.com",
                    "OIDC_CLIENT_ID", "safeconduct",
                    "OIDC_CLIENT_SECRET", "a-long-secret",
                    "OIDC_ONLY", "true"),
                "with OIDC_ONLY");
    faults.forEach((settings, fault) -> {
      var all = new HashMap<>(Map.of("MFA_REQUIRED", "true"));
      all.putAll(settings);
      assertThatThrownBy(() -> ServerConfig.from(new Env(all)))
          .as(settings.toString())
          .isInstanceOf(ConfigFault.class)
          .hasMessageContaining(fault);
    });
  }
}
