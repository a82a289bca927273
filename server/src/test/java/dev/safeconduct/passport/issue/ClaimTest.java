package dev.safeconduct.passport.issue;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Issuing;
import dev.safeconduct.testkit.Letters;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** A human claims an agent by the link in a letter; nobody else does, by any means. */
final class ClaimTest {
  @AutoClose private static final TestService service = TestService.start(Issuing.UNLIMITED);

  @AutoClose
  private static final EachStore.Services services = new EachStore.Services(InstantSource.system());

  private static boolean isClaimed(Reply issued) {
    return service
        .nobody()
        .get("/api/verify/" + issued.string("agent_id"))
        .json()
        .isTrue("claimed");
  }

  @Test
  void aHumanLooksAndClaims() {
    Reply issued = Issuing.issue(service, "Lookout", "looker@example.com");
    String link = service.letters().link("looker@example.com", "/claim/");
    // A mail scanner opens it as often as it likes.
    for (int i = 0; i < 3; i++) {
      Reply page = service.nobody().get(link);
      assertThat(page.status()).isEqualTo(200);
      assertThat(page.text())
          .contains("Lookout", "Calls tools of Model Context Protocol servers.")
          .doesNotContain("<script");
      assertThat(page.header("Referrer-Policy")).contains("no-referrer");
      assertThat(page.header("Cache-Control")).contains("no-store");
      assertThat(page.header("Content-Security-Policy").orElseThrow())
          .contains("default-src 'none'", "frame-ancestors 'none'");
      assertThat(service.nobody().send("HEAD", link, "").status()).isEqualTo(200);
    }
    assertThat(isClaimed(issued)).isFalse();
    Reply claimed =
        Pages.submit(
            service.nobody(),
            link,
            service.nobody().get(link),
            Map.of("password", TestService.PASSWORD));
    assertThat(claimed.status()).as(claimed.toString()).isEqualTo(200);
    assertThat(isClaimed(issued)).isTrue();
    // The new account is signed in, owns the passport's organization, and can sign in again.
    Calls human = service.nobody().with("Cookie", Pages.cookies(claimed));
    assertThat(human.get("/api/auth/me").string("role")).isEqualTo("owner");
    Reply passport =
        service.signedIn("looker@example.com").get("/api/passports/" + issued.string("agent_id"));
    assertThat(passport.string("assurance_level")).isEqualTo("L1");
    assertThat(human.get("/api/audit?kind=passport_claimed").text())
        .contains(human.get("/api/auth/me").string("account_id"));
    // The setup key goes on; the link does not.
    assertThat(
            service
                .withKey(issued.string("api_key"))
                .get("/api/passports/" + issued.string("agent_id"))
                .status())
        .isEqualTo(200);
    assertThat(service.nobody().get(link).status()).isEqualTo(410);
    assertThat(Pages.post(service.nobody(), link, "csrf_token=x").status()).isEqualTo(410);
  }

  /** The page says what was asked for, from where and when; the human may end it instead. */
  @Test
  void aHumanRevokesWhatIsNotTheirs() {
    Reply issued = Issuing.issue(service, "Stranger", "stranger@example.com");
    String agent = issued.string("agent_id");
    String link = service.letters().link("stranger@example.com", "/claim/");
    Reply page = service.nobody().get(link);
    assertThat(page.text())
        .contains("127.0.0.1", "max calls per minute: 60", "This was not me: revoke", "<time");
    Calls key = service.withKey(issued.string("api_key"));
    Map<String, String> unsure = Map.of("answer", "revoke", "sure", "yes");
    assertThat(Pages.submit(service.nobody(), link, page, unsure).status()).isEqualTo(400);
    assertThat(Pages.post(service.nobody(), link, "answer=revoke&sure=revoke").status())
        .isEqualTo(403);
    assertThat(key.get("/api/passports/" + agent).string("status")).isEqualTo("active");

    Reply revoked =
        Pages.submit(service.nobody(), link, page, Map.of("answer", "revoke", "sure", "revoke"));
    assertThat(revoked.status()).as(revoked.toString()).isEqualTo(200);
    assertThat(service.nobody().get("/api/verify/" + agent).string("status")).isEqualTo("revoked");
    assertThat(key.get("/api/passports/" + agent).status()).isEqualTo(401);
    assertThat(service.nobody().get(link).status()).isEqualTo(410);
    assertThat(Pages.submit(service.nobody(), link, page, Map.of()).status()).isEqualTo(410);
    String org = service.admin().get("/api/passports/" + agent).string("owner_id");
    assertThat(service.admin().get("/api/audit?org_id=" + org).text())
        .contains("says that it is not theirs", "key_revoked");
    // Nothing is sent to them any more, and nobody holds the slug.
    service.nobody().post("/api/claim/resend", "{\"agent_id\": \"" + agent + "\"}");
    Reply next = Issuing.issue(service, "Stranger", "stranger@example.com");
    assertThat(next.string("slug")).isEqualTo(issued.string("slug"));
    assertThat(service.letters().await("stranger@example.com", 2)).hasSize(2);
  }

  /** Somebody to whom the operator gave the organization reads by email what became of it. */
  @Test
  void anOwnerIsToldWhatTheNamedHumanRevokes() {
    Reply issued = Issuing.issue(service, "Adopted", "notme@example.com");
    String org =
        service.admin().get("/api/passports/" + issued.string("agent_id")).string("owner_id");
    String member = "{\"email\": \"adopts@example.com\", \"role\": \"owner\"}";
    assertThat(service.admin().post("/api/orgs/" + org + "/members", member).status())
        .isEqualTo(201);
    service.setPassword(
        service.letters().link("adopts@example.com", "/password/"), "adopts@example.com");
    Reply made =
        service
            .admin()
            .post("/api/orgs/" + org + "/keys", "{\"name\": \"theirs\", \"scopes\": [\"read\"]}");
    String link = service.letters().link("notme@example.com", "/claim/");
    Map<String, String> answer = Map.of("answer", "revoke", "sure", "revoke");
    assertThat(Pages.submit(service.nobody(), link, service.nobody().get(link), answer).status())
        .isEqualTo(200);
    assertThat(service.letters().await("adopts@example.com", 2).getLast())
        .contains("Adopted", "revoked for good");
    String agent = "/api/passports/" + issued.string("agent_id");
    assertThat(service.withKey(issued.string("api_key")).get(agent).status()).isEqualTo(401);
    assertThat(service.withKey(made.string("key")).get(agent).status())
        .as("a key of the members goes on")
        .isEqualTo(200);
  }

  /** Whoever the issuer named owns the agent, not an organization that somebody else owns now. */
  @ParameterizedTest
  @EnumSource(EachStore.class)
  void aClaimDoesNotTakeAnOrganizationFromItsOwner(EachStore store) {
    TestService service = services.on(store);
    Reply issued = Issuing.issue(service, "Kept", "named@example.com");
    String agent = "/api/passports/" + issued.string("agent_id");
    String org = service.admin().get(agent).string("owner_id");
    Calls owner = service.member(org, "keeps@example.com", "owner");
    String link = service.letters().link("named@example.com", "/claim/");
    Reply claimed = Pages.submit(service.nobody(), link, service.nobody().get(link), Map.of());
    assertThat(claimed.status()).as(claimed.toString()).isEqualTo(200);
    assertThat(owner.get(agent).json().isTrue("claimed")).isTrue();
    Calls human = service.nobody().with("Cookie", Pages.cookies(claimed));
    assertThat(human.get("/api/auth/me").text()).contains("owner").doesNotContain(org);
    assertThat(human.get(agent).status()).isEqualTo(404);
    assertThat(owner.get("/api/orgs/" + org + "/members").text())
        .contains("keeps@example.com")
        .doesNotContain("named@example.com");
  }

  @Test
  void whoeverClaimsHasAnOrganizationToSignInTo() {
    String left = service.admin().post("/api/orgs", "{\"name\": \"Left\"}").string("org_id");
    String account =
        service
            .member(left, "known@example.com", "auditor")
            .get("/api/auth/me")
            .string("account_id");
    String member = "/api/orgs/" + left + "/members/" + account;
    assertThat(service.admin().delete(member).status()).isEqualTo(200);
    Reply issued = Issuing.issue(service, "Kept", "known@example.com");
    String agent = "/api/passports/" + issued.string("agent_id");
    Calls _ =
        service.member(service.admin().get(agent).string("owner_id"), "o@example.com", "owner");
    String link = service.letters().link("known@example.com", "/claim/");
    Reply claimed = Pages.submit(service.nobody(), link, service.nobody().get(link), Map.of());
    assertThat(claimed.status()).as(claimed.toString()).isEqualTo(200);
    assertThat(service.login("known@example.com").status()).isEqualTo(200);
  }

  /** An organization decides on its own passports; the named human does not. */
  @Test
  void nobodyRevokesAnOrganizationsPassportByAClaim() {
    Reply issued =
        service
            .owner()
            .post(
                "/api/orgs/" + service.org() + "/issue",
                Calls.json(
                    "{'name': 'Ours', 'pending_owner': {'email': 'named@example.com'},"
                        + " 'send_claim_email': true}"));
    assertThat(issued.status()).as(issued.toString()).isEqualTo(201);
    String link = service.letters().link("named@example.com", "/claim/");
    Reply page = service.nobody().get(link);
    assertThat(page.text()).doesNotContain("This was not me", "127.0.0.1");
    Map<String, String> answer = Map.of("answer", "revoke", "sure", "revoke");
    assertThat(Pages.submit(service.nobody(), link, page, answer).status()).isEqualTo(400);
    assertThat(service.nobody().get("/api/verify/" + issued.string("agent_id")).string("status"))
        .isEqualTo("active");
  }

  @Test
  void aSecondAgentGoesToTheSameAccountWithoutASession() {
    for (int i = 1; i <= 2; i++) {
      Reply issued = Issuing.issue(service, "Twin " + i, "twins@example.com");
      String link =
          Letters.path(service.letters().await("twins@example.com", i).getLast(), "/claim/");
      Reply claimed = Pages.submit(service.nobody(), link, service.nobody().get(link), Map.of());
      assertThat(claimed.status()).isEqualTo(200);
      assertThat(isClaimed(issued)).isTrue();
      assertThat(claimed.headers().allValues("Set-Cookie").isEmpty()).isEqualTo(i == 2);
    }
  }

  /** Whoever runs the agent has its key, and perhaps any other; none of them claims. */
  @Test
  void noKeyAndNoGuessClaims() {
    Reply issued = Issuing.issue(service, "Greedy", "greedy@example.com");
    String link = service.letters().link("greedy@example.com", "/claim/");
    String agent = issued.string("agent_id");
    byte[] token = Base64.getUrlDecoder().decode(link.substring("/claim/".length()));
    var guesses = new ArrayList<String>();
    for (int i = 0; i < token.length; i += 7) {
      byte[] wrong = token.clone();
      wrong[i] ^= 1;
      guesses.add(Base64.getUrlEncoder().withoutPadding().encodeToString(wrong));
    }
    guesses.addAll(List.of("", "x", agent, "%00", "A".repeat(5000), link.substring(8) + "A"));
    for (Calls calls :
        List.of(service.nobody(), service.withKey(issued.string("api_key")), service.owner())) {
      for (String guess : guesses) {
        assertThat(calls.get("/claim/" + guess).status()).as(guess).isIn(404, 410, 414);
        assertThat(Pages.post(calls, "/claim/" + guess, "csrf_token=x").status())
            .as(guess)
            .isIn(404, 410, 414);
      }
      assertThat(Pages.post(calls, link, "csrf_token=x").status()).isEqualTo(403);
      assertThat(calls.post(link, "{\"csrf_token\": \"x\"}").status()).isEqualTo(415);
      for (String body :
          List.of("{\"claimed\": true}", "{\"assurance_level\": \"L3\", \"claimed\": true}")) {
        calls.patch("/api/passports/" + agent, body);
        calls.put("/api/passports/" + agent, body);
      }
    }
    assertThat(isClaimed(issued)).isFalse();
  }

  /** A page of another site cannot make its reader claim, even if it knew the link. */
  @Test
  void aFormOfAnotherSiteClaimsNothing() {
    Reply issued = Issuing.issue(service, "Framed", "framed@example.com");
    String link = service.letters().link("framed@example.com", "/claim/");
    Reply page = service.nobody().get(link);
    assertThat(page.headers().allValues("Set-Cookie")).allMatch(c -> c.contains("SameSite=Strict"));
    String form = Pages.form(Pages.csrfToken(page), Map.of());
    Calls browser = service.nobody().with("Cookie", Pages.cookies(page));
    Reply another = service.nobody().get(link);
    for (Calls forged :
        List.of(
            service.nobody(),
            browser.with("Sec-Fetch-Site", "cross-site"),
            browser.with("Sec-Fetch-Site", "same-site"),
            browser.with("Origin", "https://evil.example"),
            service.nobody().with("Cookie", Pages.cookies(another)),
            service.nobody().with("Cookie", "safeconduct_form=" + "A".repeat(32)))) {
      assertThat(Pages.post(forged, link, form).status()).isEqualTo(403);
    }
    assertThat(isClaimed(issued)).isFalse();
    // With no-referrer browsers send "Origin: null" for our own form.
    assertThat(Pages.post(browser.with("Origin", "null"), link, form).status()).isEqualTo(200);
  }

  @Test
  void namesAreInertInPagesAndLetters() {
    String evil = "<img src=x onerror=alert(1)> https://evil.example/x";
    Issuing.issue(service, evil, "inert@example.com");
    String letter = service.letters().await("inert@example.com", 1).getFirst();
    assertThat(letter).doesNotContain("<img", "https://evil", "evil.example");
    Reply page = service.nobody().get(Letters.path(letter, "/claim/"));
    assertThat(page.text()).doesNotContain("<img").contains("&lt;img src=x");
  }

  @Test
  void anotherLetterEndsTheLinkBeforeItAndTellsNobodyAnything() {
    Reply issued = Issuing.issue(service, "Again", "again@example.com");
    String first = service.letters().link("again@example.com", "/claim/");
    String body = "{\"agent_id\": \"" + issued.string("agent_id") + "\"}";
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Reply reply = service.nobody().post("/api/claim/resend", body);
      answers.add(reply.toString());
    }
    for (String nobodys :
        List.of("{\"agent_id\": \"ap_nothing\"}", "{\"agent_id\": \"no id at all\"}")) {
      answers.add(service.nobody().post("/api/claim/resend", nobodys).toString());
    }
    assertThat(answers).containsOnly("202 {\"ok\":true}");
    List<String> letters = service.letters().await("again@example.com", 4);
    assertThat(letters).hasSize(4);
    assertThat(service.nobody().get(first).status()).isEqualTo(410);
    long open =
        letters.stream()
            .map(letter -> Letters.path(letter, "/claim/"))
            .distinct() // two letters of one millisecond have the same link
            .filter(link -> service.nobody().get(link).status() == 200)
            .count();
    assertThat(open).as("the newest alone").isEqualTo(1);
  }

  /** Nothing but the letter holds the token: not the answers, the logs, the audit or the store. */
  @Test
  void theTokenIsNowhere(@TempDir Path folder) throws IOException {
    var log = new ListAppender<ILoggingEvent>();
    var context = (LoggerContext) LoggerFactory.getILoggerFactory();
    log.setContext(context);
    log.start();
    context.getLogger("ROOT").addAppender(log);
    var exchange = new StringBuilder();
    String token;
    try (TestService own = TestService.start(folder, Issuing.UNLIMITED)) {
      Reply issued = Issuing.issue(own, "Secretive", "secret@example.com");
      exchange.append(issued.headers()).append(issued.text());
      String link = own.letters().link("secret@example.com", "/claim/");
      token = link.substring("/claim/".length());
      Calls agent = own.withKey(issued.string("api_key"));
      for (String path :
          List.of(
              "/api/passports/" + issued.string("agent_id"),
              "/api/verify/" + issued.string("agent_id"))) {
        exchange.append(agent.get(path).text());
      }
      Reply page = own.nobody().get(link);
      exchange.append(page.headers()).append(page.text());
      exchange.append(own.nobody().send("PUT", link, "{}").text());
      exchange.append(own.nobody().post(link, "{}").text());
      exchange.append(Pages.submit(own.nobody(), link, page, Map.of()).text());
      exchange.append(own.nobody().get(link).text());
      exchange.append(own.admin().get("/api/audit?limit=200").text());
    } finally {
      context.getLogger("ROOT").detachAppender(log);
    }
    assertThat(exchange.toString()).contains("Secretive").doesNotContain(token);
    assertThat(log.list).noneMatch(event -> event.getFormattedMessage().contains(token));
    var stored = new StringBuilder();
    for (String file : List.of("safeconduct.db", "safeconduct.db-wal")) {
      Path path = folder.resolve(file);
      if (Files.exists(path)) {
        stored.append(new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1));
      }
    }
    byte[] mac = Base64.getUrlDecoder().decode(token);
    String raw = new String(mac, 0, 32, StandardCharsets.ISO_8859_1);
    assertThat(stored.indexOf("Secretive")).isNotNegative();
    assertThat(stored.indexOf(token)).isNegative();
    assertThat(stored.indexOf(raw)).isNegative();
  }
}
