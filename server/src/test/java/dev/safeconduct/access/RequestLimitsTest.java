package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How often anybody may ask, and how the answer tells what is left. */
final class RequestLimitsTest {
  private static final String PUBLIC = "RATE_PUBLIC_PER_ADDRESS_PER_MINUTE";
  private static final String PER_KEY = "RATE_VERIFY_PER_KEY_PER_MINUTE";
  private static final String PER_ORG = "RATE_VERIFY_PER_ORG_PER_MINUTE";
  private static final String VERIFY = "/api/verify/policy/messaging.message.send.v1";
  private static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");

  @Test
  void strangersAreCountedByAddressAndToldWhatIsLeft() {
    var clock = new MovableClock();
    try (TestService service = TestService.start(Map.of(PUBLIC, "3"), clock)) {
      Reply first = service.nobody().get("/api/policies");
      assertThat(first.header("RateLimit-Policy")).contains("\"public\";q=3;w=60");
      assertThat(first.header("RateLimit")).contains("\"public\";r=2;t=20");
      assertThat(first.header("X-RateLimit-Limit")).contains("3");
      assertThat(first.header("X-RateLimit-Remaining")).contains("2");
      assertThat(first.header("X-RateLimit-Reset"))
          .contains(Long.toString(NOW.getEpochSecond() + 20));
      assertThat(first.header("X-RateLimit-Window")).contains("60");
      service.nobody().get("/jwks.json");
      service.nobody().get("/api/verify/ap_nothing");
      Reply spent = service.nobody().get("/api/policies");
      assertThat(spent.status()).isEqualTo(429);
      assertThat(spent.string("error")).isEqualTo("rate_limited");
      assertThat(spent.header("Retry-After")).contains("20");
      assertThat(spent.text()).contains("\"retry_after\":20");
      assertThat(spent.header("RateLimit")).contains("\"public\";r=0;t=20");

      // Neither a supervisor nor a caller with a credential is held up by it.
      for (String check : List.of("/healthz", "/readyz", "/health", "/api/health", "/api/status")) {
        assertThat(service.nobody().get(check).status()).isEqualTo(200);
      }
      assertThat(service.nobody().get("/readyz").header("RateLimit")).isEmpty();
      assertThat(service.owner().get("/api/passports").status()).isEqualTo(200);
      clock.advance(Duration.ofSeconds(20));
      assertThat(service.nobody().get("/api/policies").status()).isEqualTo(200);
    }
  }

  @Test
  void aProxysClientsAreCountedApart() {
    try (TestService service =
        TestService.start(Map.of(PUBLIC, "1", "TRUSTED_PROXIES", "127.0.0.1"))) {
      Calls one = service.nobody().with("X-Forwarded-For", "192.0.2.1");
      Calls other = service.nobody().with("X-Forwarded-For", "192.0.2.2");
      assertThat(one.get("/jwks.json").status()).isEqualTo(200);
      assertThat(other.get("/jwks.json").status()).isEqualTo(200);
      assertThat(one.get("/jwks.json").status()).isEqualTo(429);
    }
  }

  /** A client has every address of its /64. */
  @Test
  void anIpv6ClientIsCountedWithItsNetwork() {
    try (TestService service =
        TestService.start(
            Map.of("RATE_ISSUE_PER_ADDRESS_PER_HOUR", "1", "TRUSTED_PROXIES", "127.0.0.1"))) {
      var issue =
          Calls.json(
              "{'name': 'New', 'description': 'An agent of the tests.', 'email': 'a@x.example'}");
      Calls one = service.nobody().with("X-Forwarded-For", "2001:db8::1");
      Calls neighbour = service.nobody().with("X-Forwarded-For", "2001:db8::ffff:2");
      Calls other = service.nobody().with("X-Forwarded-For", "2001:db8:0:1::1");
      assertThat(one.post("/api/issue", issue).status()).isEqualTo(201);
      assertThat(neighbour.post("/api/issue", issue).status()).isEqualTo(429);
      assertThat(other.post("/api/issue", issue).status()).isEqualTo(201);
    }
  }

  @Test
  void decisionsAreCountedByKeyAndByOrganization() {
    try (TestService service =
        TestService.start(Map.of(PER_KEY, "2", PER_ORG, "3"), new MovableClock())) {
      String keys = "/api/orgs/" + service.org() + "/keys";
      String body = "{\"name\": \"n\", \"scopes\": [\"read\"]}";
      Calls one = service.withKey(service.owner().post(keys, body).string("key"));
      Calls other = service.withKey(service.owner().post(keys, body).string("key"));
      String asked = "{\"agent_id\": \"" + Questions.hosted(service, 9) + "\", \"context\": {}}";
      Reply first = one.post(VERIFY, asked);
      assertThat(first.header("RateLimit-Policy"))
          .contains("\"verify-key\";q=2;w=60, \"verify-org\";q=3;w=60");
      assertThat(first.header("X-RateLimit-Remaining")).contains("1");
      assertThat(one.post(VERIFY, asked).status()).isEqualTo(200);
      long asks = System.nanoTime();
      Reply spent = one.post(VERIFY, asked);
      assertThat(spent.status()).isEqualTo(429);
      assertThat(Duration.ofNanos(System.nanoTime() - asks))
          .as("a refusal is never quick, or a flood of them would crowd out others")
          .isGreaterThanOrEqualTo(Duration.ofMillis(100));
      assertThat(spent.text()).contains("\"allow\":false");
      // The refused request was counted for the organization as well: three are three.
      assertThat(other.post(VERIFY, asked).status()).isEqualTo(429);
      // Other calls are not decisions.
      assertThat(one.get("/api/passports/by-slug/nothing").status()).isEqualTo(404);
    }
  }

  /** A limit, who is over it at the second call, and what that call is told. */
  static Stream<Arguments> limitsOfUseCases() {
    String issue =
        "{'name': 'New', 'description': 'An agent of the tests.', 'email': 'a@example.com'}";
    return Stream.of(
        Arguments.of("RATE_ISSUE_PER_ADDRESS_PER_HOUR", "/api/issue", issue, "issue-address", 3600),
        Arguments.of("RATE_ISSUE_PER_EMAIL_PER_DAY", "/api/issue", issue, "issue-email", 86400),
        Arguments.of(
            "RATE_LOGIN_PER_MINUTE",
            "/api/auth/login",
            "{'email': 'a@example.com', 'password': 'not the password'}",
            "login",
            60));
  }

  @ParameterizedTest
  @MethodSource("limitsOfUseCases")
  void aRefusalTellsOfTheLimitThatWasHit(
      String setting, String path, String body, String name, int window) {
    var clock = new MovableClock();
    try (TestService service = TestService.start(Map.of(setting, "1", PUBLIC, "600"), clock)) {
      Reply first = service.nobody().post(path, Calls.json(body));
      assertThat(first.status()).as(first.toString()).isNotEqualTo(429);
      Reply spent = service.nobody().post(path, Calls.json(body));
      assertThat(spent.status()).as(spent.toString()).isEqualTo(429);
      String wait = spent.header("Retry-After").orElseThrow();
      assertThat(spent.header("X-RateLimit-Limit")).contains("1");
      assertThat(spent.header("X-RateLimit-Remaining")).contains("0");
      assertThat(spent.header("X-RateLimit-Window")).contains(Integer.toString(window));
      assertThat(spent.header("X-RateLimit-Reset"))
          .contains(Long.toString(NOW.getEpochSecond() + Long.parseLong(wait)));
      assertThat(spent.header("RateLimit").orElseThrow())
          .contains("\"public\";r=", "\"" + name + "\";r=0;t=" + wait);
      assertThat(spent.header("RateLimit-Policy").orElseThrow())
          .contains("\"" + name + "\";q=1;w=" + window);
    }
  }

  @Test
  void failedCredentialsAreALimitToo() {
    try (TestService service =
        TestService.start(
            Map.of("RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE", "1"), new MovableClock())) {
      Calls wrong = service.withKey("wrong");
      assertThat(wrong.get("/api/passports").status()).isEqualTo(401);
      Reply spent = wrong.get("/api/passports");
      assertThat(spent.status()).isEqualTo(429);
      assertThat(spent.header("X-RateLimit-Limit")).contains("1");
      assertThat(spent.header("X-RateLimit-Remaining")).contains("0");
      assertThat(spent.header("RateLimit")).contains("\"failed-auth\";r=0;t=60");
    }
  }

  @Test
  void withoutLimitsNothingIsTold() {
    try (TestService service = TestService.start()) {
      String asked = "{\"agent_id\": \"" + Questions.hosted(service, 9) + "\", \"context\": {}}";
      Reply reply = service.owner().post(VERIFY, asked);
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.header("RateLimit")).isEmpty();
    }
  }

  @Test
  void twoNodesOnPostgresCountTogether() {
    var settings = new HashMap<String, String>();
    settings.putAll(EachStore.POSTGRES.settings());
    settings.put(PER_KEY, "4");
    settings.put("RATE_ISSUE_PER_ADDRESS_PER_HOUR", "2");
    var clock = new MovableClock();
    try (TestService first = TestService.start(settings, clock);
        TestService second = TestService.start(settings, clock)) {
      String asked = "{\"agent_id\": \"" + Questions.hosted(first, 9) + "\", \"context\": {}}";
      Calls there = second.withKey(first.key());
      for (int i = 0; i < 2; i++) {
        assertThat(first.owner().post(VERIFY, asked).status()).isEqualTo(200);
        assertThat(there.post(VERIFY, asked).status()).isEqualTo(200);
      }
      assertThat(first.owner().post(VERIFY, asked).status()).isEqualTo(429);
      assertThat(there.post(VERIFY, asked).status()).isEqualTo(429);

      String issue =
          "{\"name\": \"New\", \"description\": \"An agent of the tests.\", \"email\": \"%s\"}";
      assertThat(first.nobody().post("/api/issue", issue.formatted("a@example.com")).status())
          .isEqualTo(201);
      assertThat(second.nobody().post("/api/issue", issue.formatted("b@example.com")).status())
          .isEqualTo(201);
      assertThat(second.nobody().post("/api/issue", issue.formatted("c@example.com")).status())
          .isEqualTo(429);
      assertThat(first.nobody().post("/api/issue", issue.formatted("d@example.com")).status())
          .isEqualTo(429);
    }
  }

  @Test
  void anErrorHasTheFormOfRfc9457ForWhoeverTakesIt() {
    try (TestService service = TestService.start(Map.of("BASE_URL", "https://pdp.example.com"))) {
      Reply plain = service.nobody().get("/api/nowhere");
      assertThat(plain.header("Content-Type")).contains("application/json");
      assertThat(plain.json().names()).doesNotContain("type", "title");
      Reply problem =
          service
              .nobody()
              .with("Accept", "application/problem+json, application/json")
              .get("/api/nowhere");
      assertThat(problem.header("Content-Type")).contains("application/problem+json");
      assertThat(problem.string("type"))
          .isEqualTo("https://pdp.example.com/api/documentation/errors#not_found");
      assertThat(problem.string("title")).isEqualTo("Not found");
      assertThat(problem.text()).contains("\"status\":404");
      assertThat(problem.string("detail")).isEqualTo(problem.string("message"));
      assertThat(problem.string("instance")).isEqualTo("/api/nowhere");
      assertThat(problem.json().names()).containsAll(plain.json().names());
      assertThat(service.nobody().get("/api/documentation/errors").text())
          .contains("id=\"not_found\"");
    }
  }
}
