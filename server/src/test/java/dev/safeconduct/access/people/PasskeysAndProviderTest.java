package dev.safeconduct.access.people;

import static dev.safeconduct.access.people.PasskeyVisit.ACCOUNT;
import static dev.safeconduct.access.people.PasskeyVisit.SECOND;
import static dev.safeconduct.access.people.PasskeyVisit.alone;
import static dev.safeconduct.access.people.PasskeyVisit.browser;
import static dev.safeconduct.access.people.PasskeyVisit.password;
import static dev.safeconduct.access.people.PasskeyVisit.register;
import static dev.safeconduct.access.people.PasskeyVisit.second;
import static dev.safeconduct.access.people.ProviderVisit.begin;
import static dev.safeconduct.access.people.ProviderVisit.person;
import static dev.safeconduct.access.people.ProviderVisit.signIn;
import static dev.safeconduct.access.people.ProviderVisit.signedIn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.SoftKey;
import dev.safeconduct.testkit.TestProvider;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where everybody needs a second factor and may sign in at an identity provider too. */
final class PasskeysAndProviderTest {
  private static final String ORIGIN = "https://safeconduct.example.com";

  @AutoClose private static final TestProvider provider = new TestProvider();

  @AutoClose
  private static final TestService service =
      TestService.start(
          provider.settings(
              Map.of(
                  "BASE_URL", ORIGIN,
                  "MFA_REQUIRED", "true",
                  "OIDC_GROUP_ROLES", "admins=first:admin",
                  "RATE_LOGIN_PER_MINUTE", "0")));

  /** A new member who has registered the passkey that they must have. */
  private static void join(String email, SoftKey key) {
    assertThat(
            service
                .admin()
                .post(
                    "/api/orgs/" + service.org() + "/members",
                    "{\"email\": \"" + email + "\", \"role\": \"member\"}")
                .status())
        .isEqualTo(201);
    service.setPassword(service.letters().link(email, "/password/"), email);
    Calls pending = password(service, email);
    assertThat(pending.get("/api/auth/me").status()).as("before the second step").isEqualTo(401);
    Reply made =
        second(
            pending,
            "register",
            Map.of("name", "Key", "credential", key.create(SoftKey.options(pending.get(SECOND)))));
    assertThat(made.status()).as(made.toString()).isEqualTo(200);
  }

  @Test
  void theProviderAsksForItsOwnSecondFactor() {
    Calls linked =
        signedIn(service, provider, person(provider, "amy", "amy@example.com", "admins"));
    assertThat(linked.get("/api/auth/me").status()).isEqualTo(200);
    assertThat(linked.get(ACCOUNT).text()).contains("by the identity provider");
    // What they add here opens no role that a group gave.
    var key = new SoftKey(ORIGIN);
    register(linked, key);
    assertThat(alone(service, key).status()).isEqualTo(403);
  }

  /** Whoever had the address before may have registered the passkeys. */
  @Test
  void linkingDeletesPasskeysAndCodesAndEndsWhatIsPending() {
    var key = new SoftKey(ORIGIN);
    join("ben@example.com", key);
    Calls open = browser(service, alone(service, key));
    Calls pending = password(service, "ben@example.com");
    Calls linked = signedIn(service, provider, person(provider, "ben", "ben@example.com"));
    assertThat(open.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(pending.get(SECOND).header("Location").orElse("")).contains("sign_in_again");
    assertThat(alone(service, key).status()).isEqualTo(401);
    assertThat(linked.get(ACCOUNT).text()).contains("Add a passkey").doesNotContain("You have 10");
    assertThat(service.letters().await("ben@example.com", 3).toString())
        .contains("had a password or passkeys, they are deleted");
  }

  /** The address at another provider may be somebody else's. */
  @Test
  void anOperatorWithAPasskeyAloneIsNotLinkedToAnotherProvider(@TempDir Path folder) {
    Map<String, String> open = Map.of("BASE_URL", ORIGIN);
    var key = new SoftKey(ORIGIN);
    try (TestService first = TestService.start(folder, provider.settings(open))) {
      first.setPassword(first.ownerLink(), TestService.OPERATOR);
      String cookies = Pages.cookies(first.login(TestService.OPERATOR));
      ProviderVisit visit = begin(first, provider, "");
      String code =
          provider.signIn(
              visit.request(),
              person(provider, "operator", TestService.OPERATOR),
              UnaryOperator.identity());
      Reply back =
          new ProviderVisit(provider, visit.cookie() + "; " + cookies, visit.request())
              .back(first, code);
      register(browser(first, back), key);
      assertThat(first.login(TestService.OPERATOR).status()).isEqualTo(401);
    }
    try (TestProvider other = new TestProvider();
        TestService then = TestService.start(folder, other.settings(open))) {
      Reply refused = signIn(then, other, person(other, "eve", TestService.OPERATOR));
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.text()).contains("or a passkey. Sign in with it first");
      assertThat(alone(then, key).status()).isEqualTo(303);
    }
  }
}
