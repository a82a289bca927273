package dev.safeconduct.access.people;

import static dev.safeconduct.access.people.ProviderVisit.begin;
import static dev.safeconduct.access.people.ProviderVisit.person;
import static dev.safeconduct.access.people.ProviderVisit.signIn;
import static dev.safeconduct.access.people.ProviderVisit.signedIn;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Letters;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestProvider;
import dev.safeconduct.testkit.TestService;
import java.net.URI;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * People sign in at an identity provider: who they are here, what they may do, and for how long.
 */
final class OidcTest {
  private static final Pattern ONWARD =
      Pattern.compile("<meta http-equiv=\"refresh\" content=\"0; url=([^\"]+)\">");

  @AutoClose private static final TestProvider provider = new TestProvider();
  private static final Map<EachStore, TestService> services = new EnumMap<>(EachStore.class);

  @BeforeAll
  static void start() {
    Map<String, String> settings =
        provider.settings(
            Map.of(
                "OIDC_GROUP_ROLES", "admins=first:admin, /staff=first:member, boss=first:owner",
                "OIDC_NAME", "Example ID",
                "RATE_LOGIN_PER_MINUTE", "0"));
    for (EachStore store : EachStore.values()) {
      services.put(store, store.start(settings, InstantSource.system()));
    }
  }

  @AfterAll
  static void stop() {
    services.values().forEach(TestService::close);
  }

  private static TestService on(EachStore store) {
    TestService service = services.get(store);
    if (service == null) {
      throw new AssertionError(store);
    }
    return service;
  }

  private static String subject() {
    return UUID.randomUUID().toString();
  }

  @ParameterizedTest
  @EnumSource
  void aGroupGivesARoleAndTakesItAwayAgain(EachStore store) {
    TestService service = on(store);
    String subject = subject();
    String email = subject + "@example.com";
    Calls ann = signedIn(service, provider, person(provider, subject, email, "/staff"));
    Reply me = ann.get("/api/auth/me");
    assertThat(me.string("role")).isEqualTo("member");
    assertThat(me.string("email")).isEqualTo(email);
    assertThat(me.string("display_name")).isEqualTo("Person " + subject);

    Calls promoted =
        signedIn(service, provider, person(provider, subject, email, "/staff", "admins"));
    assertThat(promoted.get("/api/auth/me").string("role")).as("the highest").isEqualTo("admin");
    assertThat(promoted.get("/api/auth/me").string("account_id"))
        .isEqualTo(me.string("account_id"));

    Reply refused = signIn(service, provider, person(provider, subject, email, "others"));
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text()).contains("none of your groups there has a role here");
    assertThat(promoted.get("/api/auth/me").status()).as("sessions end").isEqualTo(401);
    assertThat(service.owner().get("/api/audit?kind=config&limit=100").text())
        .contains("member_added", "role_changed", "member_removed", subject);
    assertThat(service.owner().get("/api/audit?kind=login&limit=100").text())
        .contains("account_created", "\"by\":\"oidc\"");
  }

  @ParameterizedTest
  @EnumSource
  void aRoleThatAPersonGaveStays(EachStore store) {
    TestService service = on(store);
    String subject = subject();
    String email = subject + "@example.com";
    String members = "/api/orgs/" + service.org() + "/members";
    String account =
        service
            .admin()
            .post(members, "{\"email\": \"" + email + "\", \"role\": \"auditor\"}")
            .string("account_id");
    Calls eve = signedIn(service, provider, person(provider, subject, email, "boss"));
    assertThat(eve.get("/api/auth/me").string("account_id")).as("linked").isEqualTo(account);
    assertThat(eve.get("/api/auth/me").string("role")).isEqualTo("auditor");
    assertThat(signIn(service, provider, person(provider, subject, email)).status())
        .as("without a group")
        .isEqualTo(303);

    // A person who changes the role that a group gave takes over from the group.
    String other = subject();
    String address = other + "@example.com";
    Calls bob = signedIn(service, provider, person(provider, other, address, "/staff"));
    String id = bob.get("/api/auth/me").string("account_id");
    assertThat(service.admin().patch(members + "/" + id, "{\"role\": \"auditor\"}").status())
        .isEqualTo(200);
    // So does one who gives the same role.
    String third = subject();
    Calls carl =
        signedIn(service, provider, person(provider, third, third + "@example.com", "/staff"));
    String kept = carl.get("/api/auth/me").string("account_id");
    String member = third + "@example.com\",\"role\":\"member\",\"by_group\":";
    assertThat(service.admin().get(members + "?limit=200").text())
        .contains(member + true, email + "\",\"role\":\"auditor\",\"by_group\":false");
    String admin = subject();
    assertThat(
            signedIn(service, provider, person(provider, admin, admin + "@example.com", "admins"))
                .get("/console/people")
                .text())
        .contains("/console/people/" + account + "/role", "from a group")
        .doesNotContain("/console/people/" + kept + "/role");
    assertThat(service.admin().patch(members + "/" + kept, "{\"role\": \"member\"}").status())
        .isEqualTo(200);
    assertThat(signIn(service, provider, person(provider, third, third + "@example.com")).status())
        .isEqualTo(303);
    assertThat(carl.get("/api/auth/me").status()).as("no session ends").isEqualTo(200);
    assertThat(service.admin().get(members + "?limit=200").text()).contains(member + false);
    assertThat(
            signedIn(service, provider, person(provider, other, address))
                .get("/api/auth/me")
                .string("role"))
        .isEqualTo("auditor");
  }

  /** Otherwise people would keep what a group gave after they leave it. */
  @ParameterizedTest
  @EnumSource
  void nobodyKeepsWhatAGroupGaveThem(EachStore store) {
    TestService service = on(store);
    String subject = subject();
    String email = subject + "@example.com";
    Calls dan = signedIn(service, provider, person(provider, subject, email, "admins"));
    String path =
        "/api/orgs/" + service.org() + "/members/" + dan.get("/api/auth/me").string("account_id");
    for (String role : List.of("admin", "member")) {
      Reply refused = dan.patch(path, "{\"role\": \"" + role + "\"}");
      assertThat(refused.status()).as(role + ": " + refused).isEqualTo(403);
      assertThat(refused.text()).contains("gave you this role");
    }
    assertThat(dan.get("/api/auth/me").string("role")).isEqualTo("admin");
    assertThat(signIn(service, provider, person(provider, subject, email)).status())
        .as("without the group")
        .isEqualTo(403);
  }

  /** Groups are read at the provider; a password would keep what they gave for ever. */
  @ParameterizedTest
  @EnumSource
  void whatAGroupGaveDoesNotCountAfterASignInByPassword(EachStore store) {
    TestService service = on(store);
    String subject = subject();
    String email = subject + "@example.com";
    Calls ann = signedIn(service, provider, person(provider, subject, email, "admins"));
    String id = ann.get("/api/auth/me").string("account_id");
    String asked = "{\"email\": \"" + email + "\"}";
    assertThat(service.nobody().post("/api/auth/password/forgot", asked).status()).isEqualTo(202);
    service.setPassword(service.letters().link(email, "/password/"), email);
    Reply refused = service.login(email);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text()).contains("belongs to no organization");

    // The role of another organization counts, and leads to no role in this one.
    String other = service.admin().post("/api/orgs", "{\"name\": \"Other\"}").string("org_id");
    String members = "/api/orgs/" + other + "/members";
    String invited = "{\"email\": \"" + email + "\", \"role\": \"auditor\"}";
    assertThat(service.admin().post(members, invited).status()).isEqualTo(201);
    Calls byPassword = service.signedIn(email);
    Reply me = byPassword.get("/api/auth/me");
    assertThat(me.string("account_id")).isEqualTo(id);
    assertThat(me.string("role")).isEqualTo("auditor");
    assertThat(me.text()).contains(other).doesNotContain(service.org());
    String move = "{\"org_id\": \"" + service.org() + "\"}";
    assertThat(byPassword.post("/api/auth/refresh", move).status()).isEqualTo(404);
    Calls again = signedIn(service, provider, person(provider, subject, email, "admins"));
    assertThat(again.get("/api/auth/me").text()).contains(other, service.org());
  }

  /** The address may have a new owner: nothing of the account's former life opens it. */
  @ParameterizedTest
  @EnumSource
  void linkingEndsThePasswordItsLinksAndAllSessions(EachStore store) {
    TestService service = on(store);
    String email = subject() + "@example.com";
    Calls former = service.member(service.org(), email, "admin");
    String id = former.get("/api/auth/me").string("account_id");
    String asked = "{\"email\": \"" + email + "\"}";
    assertThat(service.nobody().post("/api/auth/password/forgot", asked).status()).isEqualTo(202);
    String link = Letters.path(service.letters().await(email, 2).getLast(), "/password/");
    assertThat(service.nobody().get(link).status()).isEqualTo(200);
    String subject = subject();
    Calls linked = signedIn(service, provider, person(provider, subject, email));
    assertThat(linked.get("/api/auth/me").string("account_id")).isEqualTo(id);
    assertThat(service.letters().await(email, 3).getLast())
        .contains("has a new way to sign in", "email address at Example ID");
    assertThat(former.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(service.login(email).status()).isEqualTo(401);
    assertThat(service.nobody().get(link).status()).isEqualTo(410);
    // Only the first sign-in does so.
    signedIn(service, provider, person(provider, subject, email));
    assertThat(linked.get("/api/auth/me").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource
  void anOperatorWithAPasswordIsLinkedOnlyAfterSigningInWithIt(EachStore store) {
    TestService service = on(store);
    service.setPassword(service.ownerLink(), TestService.OPERATOR);
    String cookies = Pages.cookies(service.login(TestService.OPERATOR));
    Calls operator = service.nobody().with("Cookie", cookies);
    JWTClaimsSet.Builder claims = person(provider, subject(), TestService.OPERATOR, "admins");
    Reply refused = signIn(service, provider, claims);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text()).contains("Sign in with it first");
    assertThat(operator.get("/api/auth/me").status()).isEqualTo(200);
    // The console leads there; a link on another site, which could delete the password, does not.
    String there = "/console/sign-in/provider?next=/console/account";
    assertThat(operator.get("/console/account").text()).contains("href=\"" + there);
    assertThat(operator.with("Sec-Fetch-Site", "cross-site").get(there).header("Location"))
        .contains("/console/account");

    Reply begun = operator.with("Sec-Fetch-Site", "same-origin").get(there);
    ProviderVisit visit =
        new ProviderVisit(
            provider, Pages.cookies(begun), URI.create(begun.header("Location").orElseThrow()));
    String code = provider.signIn(visit.request(), claims, UnaryOperator.identity());
    Reply back =
        new ProviderVisit(provider, visit.cookie() + "; " + cookies, visit.request())
            .back(service, code);
    assertThat(back.status()).isEqualTo(303);
    Calls linked = service.nobody().with("Cookie", Pages.cookies(back));
    assertThat(linked.get("/api/auth/me").json().isTrue("operator")).isTrue();
    assertThat(linked.get("/console/account").text()).doesNotContain(there);
    assertThat(operator.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(service.login(TestService.OPERATOR).status()).isEqualTo(401);
  }

  /** A browser may be in the hands of another person now. */
  @ParameterizedTest
  @EnumSource
  void theBrowsersFormerPersonDoesNotSignInTheNext(EachStore store) {
    TestService service = on(store);
    String alice = subject();
    Reply first =
        signIn(service, provider, person(provider, alice, alice + "@example.com", "admins"));
    Calls theirs = service.nobody().with("Cookie", Pages.cookies(first));
    String aliceId = theirs.get("/api/auth/me").string("account_id");
    ProviderVisit visit = begin(service, provider, "");
    String bob = subject();
    String code =
        provider.signIn(
            visit.request(),
            person(provider, bob, bob + "@example.com", "admins"),
            UnaryOperator.identity());
    Reply back =
        new ProviderVisit(provider, visit.cookie() + "; " + Pages.cookies(first), visit.request())
            .back(service, code);
    assertThat(back.status()).isEqualTo(303);
    String bobId =
        service
            .nobody()
            .with("Cookie", Pages.cookies(back))
            .get("/api/auth/me")
            .string("account_id");
    assertThat(bobId).isNotEqualTo(aliceId);
    JsonArray records =
        service.owner().get("/api/audit?kind=login&limit=20").json().array("records").orElseThrow();
    assertThat(records.elements().stream().map(Json::text).filter(text -> text.contains(bobId)))
        .isNotEmpty()
        .allSatisfy(text -> assertThat(text).doesNotContain(aliceId));
    assertThat(theirs.get("/api/auth/me").status()).as("replaced").isEqualTo(401);
  }

  @ParameterizedTest
  @EnumSource
  void aStrangerGetsNoAccount(EachStore store) {
    TestService service = on(store);
    String subject = subject();
    JWTClaimsSet.Builder claims = person(provider, subject, subject + "@example.com", "x");
    Reply refused = signIn(service, provider, claims);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text()).contains("has a role here. Ask");
    refused = signIn(service, provider, claims.claim("email_verified", false));
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text()).contains("it has not verified your email address");
    assertThat(service.owner().get("/api/audit?kind=login&limit=100").text())
        .doesNotContain(subject);
  }

  @ParameterizedTest
  @EnumSource
  void onlyAVerifiedAddressLeadsToAnAccount(EachStore store) {
    TestService service = on(store);
    String email = subject() + "@example.com";
    Calls victim = service.member(service.org(), email, "owner");
    String account = victim.get("/api/auth/me").string("account_id");
    for (Object unverified : new Object[] {false, "false", 1, ""}) {
      JWTClaimsSet.Builder claims =
          person(provider, subject(), email, "/staff").claim("email_verified", unverified);
      Reply me = signedIn(service, provider, claims).get("/api/auth/me");
      assertThat(me.string("account_id")).isNotEqualTo(account);
      assertThat(me.string("email")).endsWith("@unverified.invalid");
      assertThat(me.string("role")).isEqualTo("member");
    }
    String subject = subject();
    assertThat(
            signedIn(service, provider, person(provider, subject, email))
                .get("/api/auth/me")
                .string("account_id"))
        .isEqualTo(account);
    // The address is given to somebody else: the account stays with the first person's subject.
    Reply other =
        signedIn(service, provider, person(provider, subject(), email, "/staff"))
            .get("/api/auth/me");
    assertThat(other.string("account_id")).isNotEqualTo(account);
    assertThat(other.string("role")).isEqualTo("member");
    // The person's own address changes, and the account's follows.
    Reply renamed =
        signedIn(service, provider, person(provider, subject, "new-" + email)).get("/api/auth/me");
    assertThat(renamed.string("account_id")).isEqualTo(account);
    assertThat(renamed.string("email")).isEqualTo("new-" + email);
  }

  @ParameterizedTest
  @EnumSource
  void aPlaceholderIsNoAddressToInvite(EachStore store) {
    TestService service = on(store);
    String subject = subject();
    JWTClaimsSet.Builder claims =
        person(provider, subject, "x@example.com", "/staff").claim("email_verified", false);
    String placeholder = signedIn(service, provider, claims).get("/api/auth/me").string("email");
    for (String each : List.of(placeholder, "0@unverified.invalid", "0@UNVERIFIED.invalid")) {
      Reply refused =
          service
              .admin()
              .post(
                  "/api/orgs/" + service.org() + "/members",
                  "{\"email\": \"" + each + "\", \"role\": \"member\"}");
      assertThat(refused.status()).as(each).isEqualTo(400);
      assertThat(refused.text()).contains("email");
    }
  }

  @ParameterizedTest
  @EnumSource
  void signingOutLeadsToTheProvider(EachStore store) {
    TestService service = on(store);
    String subject = subject();
    Calls ann =
        signedIn(service, provider, person(provider, subject, subject + "@example.com", "admins"));
    String token = ann.get("/api/auth/me").string("csrf_token");
    Reply out = Pages.post(ann, "/console/sign-out", Pages.form(token, Map.of()));
    assertThat(out.status()).isEqualTo(200);
    Matcher onward = ONWARD.matcher(out.text());
    assertThat(onward.find()).isTrue();
    URI address = URI.create(onward.group(1).replace("&amp;", "&"));
    assertThat(address.toString()).startsWith(provider.issuer() + "/logout?");
    assertThat(TestProvider.query(address))
        .containsEntry("client_id", TestProvider.CLIENT)
        .hasEntrySatisfying("id_token_hint", hint -> assertThat(hint.split("\\.", -1)).hasSize(3))
        .hasEntrySatisfying(
            "post_logout_redirect_uri", to -> assertThat(to).endsWith("/console/sign-in"));
    assertThat(ann.get("/api/auth/me").status()).isEqualTo(401);
  }

  private static Calls atProvider(TestService service, String subject, String session) {
    var claims = person(provider, subject, subject + "@example.com", "admins");
    return signedIn(service, provider, claims.claim("sid", session + subject));
  }

  @ParameterizedTest
  @EnumSource
  void theProviderEndsSessions(EachStore store) {
    TestService service = on(store);
    String subject = subject();
    String email = subject + "@example.com";
    Calls one = atProvider(service, subject, "s1-");
    Calls two = atProvider(service, subject, "s2-");
    String notice = provider.signed(provider.notice().claim("sid", "s1-" + subject).build());
    assertThat(notify(service, notice).status()).isEqualTo(200);
    assertThat(one.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(two.get("/api/auth/me").status()).isEqualTo(200);
    Reply again = notify(service, notice);
    assertThat(again.status()).isEqualTo(400);
    assertThat(again.text()).contains("was used before", "logout_token");
    String all = provider.signed(provider.notice().subject(subject).build());
    assertThat(notify(service, all).status()).isEqualTo(200);
    assertThat(two.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(service.owner().get("/api/audit?kind=login&limit=20").text())
        .contains("provider_logout");

    // A notice with both ends the session, and one that began without a session there.
    Calls named = atProvider(service, subject, "s3-");
    Calls other = atProvider(service, subject, "s4-");
    Calls nameless = signedIn(service, provider, person(provider, subject, email, "admins"));
    String stranger = subject();
    Calls eve =
        signedIn(
            service, provider, person(provider, stranger, stranger + "@example.com", "admins"));
    String both =
        provider.signed(provider.notice().subject(subject).claim("sid", "s3-" + subject).build());
    assertThat(notify(service, both).status()).isEqualTo(200);
    assertThat(named.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(nameless.get("/api/auth/me").status()).isEqualTo(401);
    assertThat(other.get("/api/auth/me").status()).isEqualTo(200);
    assertThat(eve.get("/api/auth/me").status()).isEqualTo(200);
  }

  static Reply notify(TestService service, String token) {
    return Pages.post(service.nobody(), "/oidc/back-channel-logout", "logout_token=" + token);
  }

  @ParameterizedTest
  @EnumSource
  void whatTheTokenLacksIsAskedFor(EachStore store) {
    TestService service = on(store);
    String subject = subject();
    provider.tellMore(
        Map.of(
            "sub",
            subject,
            "email",
            subject + "@example.com",
            "email_verified",
            true,
            "groups",
            List.of("admins")));
    Reply me = signedIn(service, provider, provider.claims(subject)).get("/api/auth/me");
    assertThat(me.string("email")).isEqualTo(subject + "@example.com");
    assertThat(me.string("role")).isEqualTo("admin");
    // The token has an address, and the UserInfo answer says which one is verified.
    String second = subject();
    String verified = second + "@example.com";
    provider.tellMore(Map.of("sub", second, "email", verified, "email_verified", true));
    JWTClaimsSet.Builder half =
        provider.claims(second).claim("email", "x-" + verified).claim("groups", "admins");
    assertThat(signedIn(service, provider, half).get("/api/auth/me").string("email"))
        .isEqualTo(verified);
    assertThat(signIn(service, provider, provider.claims(subject())).status())
        .as("an answer about another person")
        .isEqualTo(401);
  }
}
