package dev.safeconduct.passport.issue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Issuing;
import dev.safeconduct.testkit.Letters;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Links, sessions and held slugs end when they should. */
final class ExpiryTest {
  private final MovableClock clock = new MovableClock();

  @Test
  void aClaimLinkWorksForThreeDaysAndAnotherLetterBringsAnother() {
    try (TestService service = TestService.start(Issuing.UNLIMITED, clock)) {
      Reply issued = Issuing.issue(service, "Late", "late@example.com");
      String first = service.letters().link("late@example.com", "/claim/");
      clock.advance(Duration.ofDays(3).minusSeconds(1));
      assertThat(service.nobody().get(first).status()).isEqualTo(200);
      Reply page = service.nobody().get(first);
      clock.advance(Duration.ofSeconds(1));
      assertThat(service.nobody().get(first).status()).isEqualTo(410);
      assertThat(Pages.submit(service.nobody(), first, page, Map.of()).status()).isEqualTo(410);
      service
          .nobody()
          .post("/api/claim/resend", "{\"agent_id\": \"" + issued.string("agent_id") + "\"}");
      List<String> letters = service.letters().await("late@example.com", 2);
      String second = Letters.path(letters.getLast(), "/claim/");
      assertThat(second).isNotEqualTo(first);
      Reply again = service.nobody().get(second);
      assertThat(Pages.submit(service.nobody(), second, again, Map.of()).status()).isEqualTo(200);
    }
  }

  /**
   * Three days before its end the human gets another link; what nobody claims then ends, once,
   * whichever node looks. The job looks at each start.
   */
  @ParameterizedTest
  @EnumSource
  void whatNobodyClaimsIsRevokedAfterAnEmail(EachStore store, @TempDir Path folder) {
    var settings = new HashMap<>(store.settings());
    settings.putAll(Issuing.UNLIMITED);
    settings.put("ISSUE_REQUIRE_EMAIL", "false");
    String left;
    String unnamed;
    String adopted;
    String key;
    String taken;
    try (TestService service = TestService.start(folder, settings, clock)) {
      Reply issued = Issuing.issue(service, "Left", "left@example.com");
      left = issued.string("agent_id");
      key = issued.string("api_key");
      unnamed = unnamed(service, "Unnamed");
      adopted = unnamed(service, "Adopted");
      String org = service.admin().get("/api/passports/" + adopted).string("owner_id");
      String member = "{\"email\": \"adopter@example.com\", \"role\": \"owner\"}";
      assertThat(service.admin().post("/api/orgs/" + org + "/members", member).status())
          .isEqualTo(201);
      taken = Issuing.issue(service, "Taken", "taken@example.com").string("agent_id");
      service.letters().await("left@example.com", 1);
      String link = service.letters().link("taken@example.com", "/claim/");
      Pages.submit(service.nobody(), link, service.nobody().get(link), Map.of());
      clock.advance(Duration.ofDays(27).plusSeconds(1));
    }
    try (TestService service = TestService.start(folder, settings, clock)) {
      String warning = service.letters().await("left@example.com", 2).getLast();
      assertThat(warning).contains("will be revoked in three days");
      assertThat(service.nobody().get(Letters.path(warning, "/claim/")).status()).isEqualTo(200);
      assertThat(status(service, left)).isEqualTo("active");
      assertThat(status(service, unnamed)).isEqualTo("active");
      clock.advance(Duration.ofDays(3).plusSeconds(1));
    }
    var other = store == EachStore.POSTGRES ? folder.resolve("other") : folder;
    try (TestService service = TestService.start(folder, settings, clock);
        TestService second =
            other.equals(folder) ? service : TestService.start(other, settings, clock)) {
      for (TestService node : List.of(service, second)) {
        for (String ended : List.of(left, unnamed)) {
          for (int i = 0; i < 100_000 && !status(node, ended).equals("revoked"); i++) {
            Thread.onSpinWait();
          }
          assertThat(status(node, ended)).isEqualTo("revoked");
        }
        assertThat(status(node, taken)).isEqualTo("active");
        assertThat(status(node, adopted)).isEqualTo("active");
        assertThat(node.withKey(key).get("/api/passports/" + left).status()).isEqualTo(401);
      }
      String org = service.admin().get("/api/passports/" + left).string("owner_id");
      assertThat(service.admin().get("/api/audit?kind=status_change&org_id=" + org).text())
          .containsOnlyOnce("Nobody claimed it within 30 days.");
      assertThat(service.letters().await("left@example.com", 2)).hasSize(2);
    }
  }

  private static String unnamed(TestService service, String name) {
    return service
        .nobody()
        .post("/api/issue", "{\"name\": \"" + name + "\", \"framework\": \"mcp\"}")
        .string("agent_id");
  }

  private static String status(TestService service, String agent) {
    return service.nobody().get("/api/verify/" + agent).string("status");
  }

  /** Nobody keeps a slug from others by passports that no human stands by. */
  @Test
  void anUnclaimedSlugIsHeldForThreeDays() {
    try (TestService service = TestService.start(Issuing.UNLIMITED, clock)) {
      Calls nobody = service.nobody();
      String body =
          "{\"name\": \"A\", \"framework\": \"mcp\", \"slug\": \"%s\","
              + " \"email\": \"%s@example.com\"}";
      assertThat(nobody.post("/api/issue", body.formatted("good-name", "squatter")).status())
          .isEqualTo(201);
      assertThat(nobody.post("/api/issue", body.formatted("kept-name", "keeper")).status())
          .isEqualTo(201);
      String link = service.letters().link("keeper@example.com", "/claim/");
      Pages.submit(nobody, link, nobody.get(link), Map.of());
      service.letters().await("squatter@example.com", 1);
      clock.advance(Duration.ofDays(3).plusSeconds(1));
      assertThat(nobody.post("/api/issue", body.formatted("good-name", "human")).status())
          .isEqualTo(201);
      assertThat(nobody.post("/api/issue", body.formatted("kept-name", "human")).status())
          .isEqualTo(409);
    }
  }

  @Test
  void aSessionLivesFifteenMinutesAndCanBeRenewedForTwoWeeks() {
    try (TestService service = TestService.start(Map.of(), clock)) {
      Calls person = service.operator();
      clock.advance(Duration.ofMinutes(15).minusSeconds(1));
      assertThat(person.get("/api/auth/me").status()).isEqualTo(200);
      clock.advance(Duration.ofSeconds(1));
      assertThat(person.get("/api/auth/me").status()).isEqualTo(401);
      Reply renewed = person.post("/api/auth/refresh", "{}");
      Calls going = person.with("Cookie", Pages.cookies(renewed));
      assertThat(going.get("/api/auth/me").status()).isEqualTo(200);
      // The old refresh cookie has been copied: within seconds it may be another page's, later not.
      assertThat(person.post("/api/auth/refresh", "{}").status()).isEqualTo(200);
      assertThat(going.get("/api/auth/me").status()).isEqualTo(200);
      clock.advance(Duration.ofSeconds(11));
      assertThat(person.post("/api/auth/refresh", "{}").status()).isEqualTo(401);
      assertThat(going.get("/api/auth/me").status()).as("ended for both").isEqualTo(401);
      Calls other = service.signedIn(TestService.OPERATOR);
      clock.advance(Duration.ofDays(14));
      assertThat(other.post("/api/auth/refresh", "{}").status()).isEqualTo(401);
    }
  }

  @Test
  void aLinkToSetAPasswordLivesAnHourAndTheFirstOneThreeDays() {
    try (TestService service = TestService.start(Map.of(), clock)) {
      clock.advance(Duration.ofDays(3).minusSeconds(1));
      service.setPassword(service.ownerLink(), TestService.OPERATOR);
      service
          .nobody()
          .post("/api/auth/password/forgot", "{\"email\": \"" + TestService.OPERATOR + "\"}");
      String link = service.letters().link(TestService.OPERATOR, "/password/");
      clock.advance(Duration.ofMinutes(59));
      assertThat(service.nobody().get(link).status()).isEqualTo(200);
      clock.advance(Duration.ofMinutes(1));
      assertThat(service.nobody().get(link).status()).isEqualTo(410);
    }
  }
}
