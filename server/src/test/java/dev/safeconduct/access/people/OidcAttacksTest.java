package dev.safeconduct.access.people;

import static dev.safeconduct.access.people.ProviderVisit.begin;
import static dev.safeconduct.access.people.ProviderVisit.encoded;
import static dev.safeconduct.access.people.ProviderVisit.person;
import static dev.safeconduct.access.people.ProviderVisit.signIn;
import static dev.safeconduct.access.people.ProviderVisit.signedIn;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jwt.JWTClaimsSet;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestProvider;
import dev.safeconduct.testkit.TestService;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Nobody signs in, or signs others out, without the provider's and the browser's part in it. */
@Tag("attack")
final class OidcAttacksTest {
  /** A key that the provider does not have. */
  private static final ECKey OTHER_KEY = TestProvider.newKey();

  /** The real time, which the provider's tokens have too, or later. */
  private static final MovableClock clock = MovableClock.running();

  @AutoClose private static final TestProvider provider = new TestProvider();

  @AutoClose
  private static final TestService service =
      TestService.start(
          provider.settings(
              Map.of("OIDC_GROUP_ROLES", "admins=first:admin", "RATE_LOGIN_PER_MINUTE", "0")),
          clock);

  private static JWTClaimsSet.Builder ann() {
    return person(provider, "ann", "ann@example.com", "admins");
  }

  private static void demandRefused(Reply reply) {
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.text()).contains("You are not signed in");
    assertThat(Pages.cookies(reply)).isEqualTo("safeconduct_oidc=");
  }

  private static String code(ProviderVisit visit) {
    return provider.signIn(visit.request(), ann(), UnaryOperator.identity());
  }

  @Test
  void theRequestHasWhatProtectsTheAnswer() {
    ProviderVisit visit = begin(service, provider, "");
    Map<String, String> sent = TestProvider.query(visit.request());
    assertThat(visit.request().toString()).startsWith(provider.issuer() + "/authorize?");
    assertThat(sent)
        .containsEntry("response_type", "code")
        .containsEntry("client_id", TestProvider.CLIENT)
        .containsEntry("scope", "openid email profile")
        .containsEntry("code_challenge_method", "S256")
        .containsKeys("state", "nonce", "code_challenge")
        .doesNotContainKey("code_verifier");
    assertThat(sent.get("redirect_uri")).endsWith("/console/sign-in/callback");
    assertThat(List.of(String.valueOf(sent.get("state")), String.valueOf(sent.get("nonce"))))
        .doesNotHaveDuplicates()
        .noneMatch(visit.cookie()::contains);
    Map<String, String> other = TestProvider.query(begin(service, provider, "").request());
    for (String random : List.of("state", "nonce", "code_challenge")) {
      assertThat(other.get(random)).isNotEqualTo(sent.get(random));
    }
    Reply reply = service.nobody().get("/console/sign-in/provider");
    assertThat(reply.headers().allValues("Set-Cookie"))
        .singleElement()
        .asString()
        .contains("HttpOnly; SameSite=Lax");
  }

  /** An attempt that the browser did not begin would sign it in as the attacker. */
  @Test
  void theStateIsOfThisBrowser() {
    ProviderVisit mine = begin(service, provider, "");
    ProviderVisit theirs = begin(service, provider, "");
    String answer = "code=" + code(theirs) + "&state=" + encoded(theirs.state());
    demandRefused(mine.answer(service, answer));
    demandRefused(new ProviderVisit(provider, "other=1", theirs.request()).answer(service, answer));
    demandRefused(mine.answer(service, "code=" + code(mine)));
    demandRefused(mine.answer(service, "code=" + code(mine) + "&state=guess"));
    // The page to open is in the cookie, and cannot be changed there.
    String changed = mine.cookie().replaceAll("\\.[^.]*$", ".L2NvbnNvbGUva2V5cw");
    demandRefused(new ProviderVisit(provider, changed, mine.request()).back(service, code(mine)));
    assertThat(mine.back(service, code(mine)).status()).isEqualTo(303);
  }

  @Test
  void theStateIsUsedOnceAndExpires() {
    ProviderVisit visit = begin(service, provider, "");
    assertThat(visit.back(service, code(visit)).status()).isEqualTo(303);
    demandRefused(visit.back(service, code(visit)));
    ProviderVisit failed = begin(service, provider, "");
    demandRefused(failed.back(service, "not-a-code"));
    demandRefused(failed.back(service, code(failed)));
    ProviderVisit old = begin(service, provider, "");
    clock.later(Duration.ofMinutes(11));
    try {
      demandRefused(old.back(service, code(old)));
    } finally {
      clock.later(Duration.ZERO);
    }
  }

  @Test
  void aCodeOfAnotherAttemptHasAnotherVerifierAndNonce() {
    ProviderVisit theirs = begin(service, provider, "");
    ProviderVisit mine = begin(service, provider, "");
    demandRefused(mine.back(service, code(theirs)));
    // A provider without PKCE: the nonce still differs.
    ProviderVisit again = begin(service, provider, "");
    String stolen = String.valueOf(TestProvider.query(theirs.request()).get("nonce"));
    demandRefused(
        again.back(
            service,
            provider.code(again.request(), provider.signed(ann().claim("nonce", stolen).build()))));
  }

  @ParameterizedTest
  @CsvSource({
    "/console/keys, /console/keys",
    "/console/audit?kind=login, /console/audit?kind=login",
    "https://evil.example/, /console",
    "//evil.example/, /console",
    "/console/sign-in/callback?x, /console",
    "/console@evil.example, /console",
    "/console\\evil.example, /console",
  })
  void theBrowserOpensOnlyAPageOfTheConsole(String next, String opened) {
    ProviderVisit visit = begin(service, provider, next);
    assertThat(visit.back(service, code(visit)).header("Location")).contains(opened);
  }

  @Test
  void theAnswerIsOfThisIssuer() {
    ProviderVisit mixedUp = begin(service, provider, "");
    String answer = "&state=" + encoded(mixedUp.state()) + "&iss=https://other.example";
    demandRefused(mixedUp.answer(service, "code=" + code(mixedUp) + answer));
    ProviderVisit named = begin(service, provider, "");
    assertThat(
            named
                .answer(
                    service,
                    "code="
                        + code(named)
                        + "&state="
                        + encoded(named.state())
                        + "&iss="
                        + encoded(provider.issuer()))
                .status())
        .isEqualTo(303);
    try (TestProvider strict = new TestProvider()) {
      strict.announce(Map.of("authorization_response_iss_parameter_supported", true));
      try (TestService client = client(strict)) {
        ProviderVisit silent = begin(client, strict, "");
        demandRefused(
            silent.back(
                client,
                strict.signIn(
                    silent.request(),
                    person(strict, "x", "x@example.com", "admins"),
                    UnaryOperator.identity())));
      }
    }
  }

  @Test
  void aRefusalIsSaidInPlainWords() {
    ProviderVisit visit = begin(service, provider, "");
    Reply refused = visit.answer(service, "error=access_denied&state=" + encoded(visit.state()));
    demandRefused(refused);
    assertThat(refused.text()).contains("127.0.0.1 has not signed you in.");
    ProviderVisit hostile = begin(service, provider, "");
    Reply shown =
        hostile.answer(
            service, "error=" + encoded("<b>call us</b>") + "&state=" + encoded(hostile.state()));
    demandRefused(shown);
    assertThat(shown.text()).doesNotContain("call us");
  }

  /** ID tokens that are not valid; each is made of claims that would be. */
  private static final Map<String, Function<JWTClaimsSet, String>> BAD_TOKENS =
      Map.ofEntries(
          token("unsigned", TestProvider::unsigned),
          token(
              "by the clients secret",
              claims ->
                  provider.hmac(
                      claims, padded(TestProvider.SECRET.getBytes(StandardCharsets.UTF_8)))),
          token("by the public key as a secret", claims -> provider.hmac(claims, publicKey())),
          token("by another key", claims -> TestProvider.signed(claims, OTHER_KEY)),
          token("of another issuer", changed(claims -> claims.issuer("https://other.example"))),
          token("of no issuer", changed(claims -> claims.issuer(null))),
          token("for another client", changed(claims -> claims.audience("another"))),
          token(
              "for another party",
              changed(claims ->
                  claims
                      .audience(List.of(TestProvider.CLIENT, "another"))
                      .claim("azp", "another"))),
          token(
              "expired",
              changed(claims -> claims.expirationTime(Date.from(Instant.now().minusSeconds(600))))),
          token("without expiry", changed(claims -> claims.expirationTime(null))),
          token(
              "of the future",
              changed(claims -> claims.issueTime(Date.from(Instant.now().plusSeconds(600))))),
          token(
              "not valid yet",
              changed(claims -> claims.notBeforeTime(Date.from(Instant.now().plusSeconds(600))))),
          token("without nonce", changed(claims -> claims.claim("nonce", null))),
          token(
              "for several without a party",
              changed(claims -> claims.audience(List.of(TestProvider.CLIENT, "another")))),
          token("without subject", changed(claims -> claims.subject(null))),
          token("with a blank subject", changed(claims -> claims.subject(" "))),
          token("with a long subject", changed(claims -> claims.subject("s".repeat(256)))),
          token("with a long session", changed(claims -> claims.claim("sid", "s".repeat(256)))),
          token("no token", _ -> "x.y.z"));

  static Set<String> badTokens() {
    return BAD_TOKENS.keySet();
  }

  private static Map.Entry<String, Function<JWTClaimsSet, String>> token(
      String name, Function<JWTClaimsSet, String> made) {
    return Map.entry(name, made);
  }

  private static Function<JWTClaimsSet, String> changed(
      UnaryOperator<JWTClaimsSet.Builder> change) {
    return claims -> provider.signed(change.apply(new JWTClaimsSet.Builder(claims)).build());
  }

  private static byte[] publicKey() {
    try {
      return provider.key().toECPublicKey().getEncoded();
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  /** HS256 takes 32 bytes or more. */
  private static byte[] padded(byte[] secret) {
    return Arrays.copyOf(secret, Math.max(32, secret.length));
  }

  @ParameterizedTest
  @MethodSource("badTokens")
  void anInvalidTokenSignsNobodyIn(String name) {
    Function<JWTClaimsSet, String> bad = Objects.requireNonNull(BAD_TOKENS.get(name));
    ProviderVisit visit = begin(service, provider, "");
    JWTClaimsSet claims =
        ann().claim("nonce", TestProvider.query(visit.request()).get("nonce")).build();
    demandRefused(visit.back(service, provider.code(visit.request(), bad.apply(claims))));
  }

  /** Notices of sign-outs that are not valid. */
  private static final Map<String, Function<JWTClaimsSet.Builder, String>> BAD_NOTICES =
      Map.ofEntries(
          notice("unsigned", notice -> TestProvider.unsigned(notice.build())),
          notice(
              "by the clients secret",
              notice ->
                  provider.hmac(
                      notice.build(),
                      padded(TestProvider.SECRET.getBytes(StandardCharsets.UTF_8)))),
          notice("by another key", notice -> TestProvider.signed(notice.build(), OTHER_KEY)),
          notice(
              "of another issuer",
              notice -> provider.signed(notice.issuer("https://o.example").build())),
          notice(
              "for another client", notice -> provider.signed(notice.audience("another").build())),
          notice("with a nonce", notice -> provider.signed(notice.claim("nonce", "n").build())),
          notice("without events", notice -> provider.signed(notice.claim("events", null).build())),
          notice(
              "of another event",
              notice ->
                  provider.signed(
                      notice.claim("events", Map.of("https://o.example", Map.of())).build())),
          notice("without id", notice -> provider.signed(notice.jwtID(null).build())),
          notice(
              "with a long id", notice -> provider.signed(notice.jwtID("i".repeat(256)).build())),
          notice("without issue time", notice -> provider.signed(notice.issueTime(null).build())),
          notice(
              "expired",
              notice ->
                  provider.signed(
                      notice.expirationTime(Date.from(Instant.now().minusSeconds(600))).build())),
          notice(
              "for a day",
              notice ->
                  provider.signed(
                      notice.expirationTime(Date.from(Instant.now().plusSeconds(86_400))).build())),
          notice("of a blank subject", notice -> provider.signed(notice.subject(" ").build())),
          notice("of nobody", notice -> provider.signed(notice.subject(null).build())),
          notice("an id token", _ -> provider.signed(ann().claim("nonce", "n").build())),
          notice("no token", _ -> "nonsense"));

  private static Map.Entry<String, Function<JWTClaimsSet.Builder, String>> notice(
      String name, Function<JWTClaimsSet.Builder, String> made) {
    return Map.entry(name, made);
  }

  @Test
  void anInvalidNoticeEndsNothing() {
    Calls browser = signedIn(service, provider, ann());
    BAD_NOTICES.forEach((name, bad) -> {
      Reply reply = OidcTest.notify(service, bad.apply(provider.notice().subject("ann")));
      assertThat(reply.status()).as(name).isEqualTo(400);
      assertThat(reply.text()).as(name).contains("logout_token");
    });
    assertThat(Pages.post(service.nobody(), "/oidc/back-channel-logout", "x=y").status())
        .isEqualTo(400);
    assertThat(browser.get("/api/auth/me").status()).isEqualTo(200);
    // A notice is no ID token either.
    ProviderVisit visit = begin(service, provider, "");
    demandRefused(
        visit.back(
            service,
            provider.code(
                visit.request(), provider.signed(provider.notice().subject("ann").build()))));
  }

  @Test
  void aNewKeyOfTheProviderIsFoundAndUnknownOnesAreNotLookedForAgainAndAgain() {
    assertThat(signIn(service, provider, ann()).status()).isEqualTo(303);
    int reads = provider.keyReads();
    for (int i = 0; i < 20; i++) {
      assertThat(
              OidcTest.notify(
                      service,
                      TestProvider.signed(provider.notice().subject("ann").build(), OTHER_KEY))
                  .status())
          .isEqualTo(400);
    }
    assertThat(provider.keyReads()).isLessThanOrEqualTo(reads + 2);
  }

  @Test
  void theProvidersKeysMayChange() {
    try (TestProvider rotating = new TestProvider();
        TestService client = client(rotating)) {
      BiFunction<String, TestProvider, Integer> sign =
          (who, at) -> signIn(client, at, person(at, who, who + "@example.com", "admins")).status();
      assertThat(sign.apply("a", rotating)).isEqualTo(303);
      rotating.rotate();
      assertThat(sign.apply("a", rotating)).isEqualTo(303);
    }
  }

  @Test
  void aProviderThatIsDownStopsNobodyElse() {
    try (TestProvider away = new TestProvider()) {
      away.down(true);
      try (TestService client = client(away)) {
        Reply page = client.nobody().get("/console/sign-in");
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.text()).contains("Continue with 127.0.0.1", "type=\"password\"");
        Reply refused = client.nobody().get("/console/sign-in/provider");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.text()).contains("127.0.0.1 cannot be reached");
        assertThat(client.operator().get("/api/auth/me").status()).isEqualTo(200);
        assertThat(client.admin().get("/api/orgs").status()).isEqualTo(200);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("badMetadata")
  void metadataThatLeadsElsewhereIsNotUsed(String name) {
    try (TestProvider lying = new TestProvider()) {
      lying.announce(Objects.requireNonNull(BAD_METADATA.get(name)));
      try (TestService client = client(lying)) {
        assertThat(client.nobody().get("/console/sign-in/provider").status()).isEqualTo(503);
      }
    }
  }

  private static final Map<String, Map<String, Object>> BAD_METADATA =
      Map.ofEntries(
          metadata("another issuer", Map.of("issuer", "https://other.example")),
          metadata("plain http", Map.of("token_endpoint", "http://other.example/token")),
          metadata("plain keys", Map.of("jwks_uri", "http://other.example/jwks")),
          metadata("plain page", Map.of("authorization_endpoint", "http://other.example/a")));

  static Set<String> badMetadata() {
    return BAD_METADATA.keySet();
  }

  private static Map.Entry<String, Map<String, Object>> metadata(
      String name, Map<String, Object> made) {
    return Map.entry(name, made);
  }

  private static TestService client(TestProvider provider) {
    return TestService.start(provider.settings(Map.of("OIDC_GROUP_ROLES", "admins=first:admin")));
  }

  @Test
  void passwordsCanBeClosed() {
    try (TestService closed =
        TestService.start(
            provider.settings(
                Map.of(
                    "OIDC_GROUP_ROLES", "admins=first:admin",
                    "OIDC_ONLY", "true",
                    "SAFECONDUCT_OWNER_EMAIL", TestService.OPERATOR)))) {
      assertThat(closed.firstOwnerIsMade()).as("no link to set a password").isFalse();
      Reply page = closed.nobody().get("/console/sign-in");
      assertThat(page.text())
          .contains("Continue with 127.0.0.1")
          .doesNotContain("type=\"password\"", "Forgot");
      String login =
          "{\"email\": \"" + TestService.OPERATOR + "\", \"password\": \"correct horse battery\"}";
      for (String path : List.of("/api/auth/login", "/api/auth/password/forgot")) {
        Reply refused = closed.nobody().post(path, login);
        assertThat(refused.status()).as(path).isEqualTo(403);
        assertThat(refused.text()).contains("OIDC_ONLY");
      }
      for (String path :
          List.of("/console/sign-in", "/console/password", "/console/sign-in/passkey")) {
        Reply refused =
            Pages.post(
                closed.nobody().with("Sec-Fetch-Site", "same-origin"), path, "email=a&password=b");
        assertThat(refused.status()).as(path).isEqualTo(403);
        assertThat(refused.text()).contains("Sign-in by password is disabled");
      }
      assertThat(closed.nobody().get("/password/anything").status()).isEqualTo(403);
      assertThat(Pages.post(closed.nobody(), "/password/anything", "password=x").status())
          .isEqualTo(403);
      // The service's own credentials stay, and so does the first owner's account.
      assertThat(closed.owner().get("/api/auth/me").status()).isEqualTo(200);
      assertThat(closed.admin().get("/api/orgs").status()).isEqualTo(200);
      String added = UUID.randomUUID() + "@example.com";
      assertThat(
              closed
                  .admin()
                  .post(
                      "/api/orgs/" + closed.org() + "/members",
                      "{\"email\": \"" + added + "\", \"role\": \"member\"}")
                  .status())
          .isEqualTo(201);
      Calls owner =
          signedIn(closed, provider, person(provider, "owner", TestService.OPERATOR, "none"));
      assertThat(owner.get("/api/auth/me").json().isTrue("operator")).isTrue();
    }
  }

  @Test
  void withoutAProviderNothingOfItIsThere() {
    try (TestService plain = TestService.start()) {
      assertThat(plain.nobody().get("/console/sign-in").text()).doesNotContain("Continue with");
      assertThat(plain.nobody().get("/console/sign-in/provider").header("Location"))
          .contains("/console/sign-in");
      assertThat(plain.nobody().get("/console/sign-in/callback").header("Location"))
          .contains("/console/sign-in");
      assertThat(OidcTest.notify(plain, "x").status()).isEqualTo(404);
      for (URI none :
          List.of(
              URI.create("/.well-known/openid-configuration"),
              URI.create("/.well-known/oauth-authorization-server"))) {
        assertThat(plain.nobody().get(none.toString()).status()).isEqualTo(404);
      }
    }
  }
}
