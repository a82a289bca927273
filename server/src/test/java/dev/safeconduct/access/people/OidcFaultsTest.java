package dev.safeconduct.access.people;

import static dev.safeconduct.access.people.ProviderVisit.begin;
import static dev.safeconduct.access.people.ProviderVisit.person;
import static dev.safeconduct.access.people.ProviderVisit.signIn;
import static dev.safeconduct.access.people.ProviderVisit.signedIn;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestProvider;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.TlsFiles;
import dev.safeconduct.testkit.WallClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Sign-in at a provider by several nodes, with other settings, and after faults. */
final class OidcFaultsTest {
  @AutoClose private static final TestProvider provider = new TestProvider();

  @ParameterizedTest
  @EnumSource
  void sessionsOfPasswordsEndWherePasswordsAreClosed(EachStore store, @TempDir Path folder) {
    var settings = new HashMap<>(store.settings());
    settings.put("BASE_URL", "http://safeconduct.example.com");
    settings.put("OIDC_GROUP_ROLES", "admins=first:admin");
    String byPassword;
    String byProvider;
    try (TestService open = TestService.start(folder, provider.settings(settings))) {
      open.setPassword(open.ownerLink(), TestService.OPERATOR);
      byPassword = Pages.cookies(open.login(TestService.OPERATOR));
      byProvider =
          Pages.cookies(
              signIn(open, provider, person(provider, "ann", "ann@example.com", "admins")));
    }
    settings.put("OIDC_ONLY", "true");
    try (TestService closed = TestService.start(folder, provider.settings(settings))) {
      Calls theirs = closed.nobody().with("Cookie", byPassword);
      assertThat(theirs.get("/api/auth/me").status()).isEqualTo(401);
      assertThat(theirs.get("/console").status()).as("renewed by no page").isEqualTo(303);
      assertThat(
              theirs.with("Sec-Fetch-Site", "same-origin").post("/api/auth/refresh", "{}").status())
          .isEqualTo(401);
      assertThat(closed.nobody().with("Cookie", byProvider).get("/api/auth/me").status())
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aNoticeThatCouldNotBeObeyedIsSentAgain(EachStore store, @TempDir Path folder)
      throws SQLException {
    var settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.toString());
    settings.put("OIDC_GROUP_ROLES", "admins=first:admin");
    try (TestService service = TestService.start(folder, provider.settings(settings))) {
      JWTClaimsSet.Builder claims = person(provider, "ann", "ann@example.com", "admins");
      Calls one = signedIn(service, provider, claims);
      String notice = provider.signed(provider.notice().subject("ann").build());
      try (Connection database = store.connection(settings);
          Statement statement = database.createStatement()) {
        statement.execute(
            store == EachStore.SQLITE
                ? "CREATE TRIGGER broken BEFORE UPDATE ON session"
                    + " BEGIN SELECT RAISE(ABORT, 'broken'); END"
                : """
                CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'broken'; END $$;
                CREATE TRIGGER broken BEFORE UPDATE ON session
                FOR EACH ROW EXECUTE FUNCTION broken()
                """);
        Reply failed = OidcTest.notify(service, notice);
        assertThat(failed.status()).isGreaterThanOrEqualTo(400);
        assertThat(failed.text()).doesNotContain("used before");
        statement.execute("DROP TRIGGER broken" + (store == EachStore.SQLITE ? "" : " ON session"));
      }
      // The service pauses after a fault of the database.
      long deadline = System.nanoTime() + WallClock.limit(Duration.ofSeconds(30)).toNanos();
      Reply again = OidcTest.notify(service, notice);
      while (again.status() == 503) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        again = OidcTest.notify(service, notice);
      }
      assertThat(again.status()).isEqualTo(200);
      assertThat(one.get("/api/auth/me").status()).isEqualTo(401);
    }
  }

  /** A balancer sends the browser's way back, and the provider's notice, to any node. */
  @Test
  void anyNodeFinishesWhatAnotherBegan(@TempDir Path folder) {
    Map<String, String> settings =
        provider.settings(
            Map.of(
                "DATABASE_URL", PostgresServer.shared().freshDatabase(),
                "SAFECONDUCT_MASTER_KEY", "the-master-key-of-both-of-the-nodes",
                "BASE_URL", "http://safeconduct.example.com",
                "OIDC_GROUP_ROLES", "admins=first:admin"));
    try (TestService one = TestService.start(folder.resolve("one"), settings);
        TestService two = TestService.start(folder.resolve("two"), settings)) {
      ProviderVisit visit = begin(one, provider, "");
      JWTClaimsSet.Builder ann = person(provider, "ann", "ann@example.com", "admins");
      String code = provider.signIn(visit.request(), ann, UnaryOperator.identity());
      Reply back = visit.back(two, code);
      assertThat(back.status()).isEqualTo(303);
      String again = provider.signIn(visit.request(), ann, UnaryOperator.identity());
      assertThat(visit.back(one, again).status()).as("used on the other node").isEqualTo(401);
      Calls browser = one.nobody().with("Cookie", Pages.cookies(back));
      assertThat(browser.get("/api/auth/me").status()).isEqualTo(200);
      String notice = provider.signed(provider.notice().subject("ann").build());
      assertThat(OidcTest.notify(two, notice).status()).isEqualTo(200);
      assertThat(OidcTest.notify(one, notice).status()).as("used on the other node").isEqualTo(400);
      long deadline = System.nanoTime() + WallClock.limit(Duration.ofSeconds(30)).toNanos();
      while (browser.get("/api/auth/me").status() == 200) {
        assertThat(System.nanoTime()).isLessThan(deadline);
      }
      assertThat(browser.get("/api/auth/me").status()).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/token, 503, server_error, 503, cannot be reached",
    "/token, 429, slow_down, 503, cannot be reached",
    "/token, 401, invalid_client, 401, is not valid",
    "/token, 400, invalid_grant, 401, is not valid",
    "/userinfo, 502, server_error, 503, cannot be reached",
    "/userinfo, 401, invalid_token, 401, is not valid",
  })
  void aFaultOfTheProviderIsNoWrongCode(
      String path, int status, String error, int answer, String text) {
    try (TestProvider faulty = new TestProvider();
        TestService service = TestService.start(faulty.settings(Map.of()))) {
      faulty.fail(path, status, error);
      Reply reply = signIn(service, faulty, faulty.claims("ann"));
      assertThat(reply.status()).isEqualTo(answer);
      assertThat(reply.text()).contains(text);
    }
  }

  @Test
  void aPrivateAuthorityVouchesForTheProvider(@TempDir Path folder) throws Exception {
    TlsFiles.shown(folder, "provider");
    String authorities = folder.resolve("chain.pem").toString();
    try (TestProvider secure = TestProvider.overTls(folder)) {
      Map<String, String> settings = secure.settings(Map.of("OIDC_GROUP_ROLES", "a=first:admin"));
      var trusting = new HashMap<>(settings);
      trusting.put("OIDC_CA", authorities);
      try (TestService service = TestService.start(trusting)) {
        Calls ann = signedIn(service, secure, person(secure, "ann", "ann@example.com", "a"));
        assertThat(ann.get("/api/auth/me").string("role")).isEqualTo("admin");
        assertThat(secure.keyReads()).isPositive();
      }
      try (TestService service = TestService.start(settings)) {
        for (int i = 0; i < 2; i++) {
          Reply refused = service.nobody().get("/console/sign-in/provider");
          assertThat(refused.status()).isEqualTo(503);
          assertThat(refused.text()).contains("cannot be reached over TLS");
        }
      }
    }
  }

  /** One request waits for the provider; the others use what is known. */
  @Test
  void aSlowProviderDelaysOneVisitorAndIsLeftAloneAfterwards() {
    var now = new AtomicReference<>(Instant.now());
    try (TestProvider slow = new TestProvider();
        TestService service = TestService.start(slow.settings(Map.of()), now::get)) {
      begin(service, slow, "");
      now.updateAndGet(time -> time.plus(Duration.ofHours(2)));
      int reads = slow.hold();
      CompletableFuture<ProviderVisit> first =
          CompletableFuture.supplyAsync(
              () -> begin(service, slow, ""), task -> Thread.ofVirtual().start(task));
      slow.awaitHeld();
      begin(service, slow, "");
      assertThat(first).isNotDone();
      // The attempt takes longer than the pause that follows it.
      now.updateAndGet(time -> time.plusSeconds(8));
      slow.down(true);
      slow.release();
      first.join();
      begin(service, slow, "");
      assertThat(slow.metadataReads()).isEqualTo(reads + 1);
      now.updateAndGet(time -> time.plusSeconds(6));
      begin(service, slow, "");
      assertThat(slow.metadataReads()).as("after the pause").isEqualTo(reads + 2);
    }
  }

  @Test
  void visitsAreLimited() {
    try (TestService service =
        TestService.start(provider.settings(Map.of("RATE_LOGIN_PER_MINUTE", "1")))) {
      for (int i = 0; i < 10; i++) {
        begin(service, provider, "");
      }
      Reply refused = service.nobody().get("/console/sign-in/provider");
      assertThat(refused.status()).isEqualTo(429);
    }
  }
}
