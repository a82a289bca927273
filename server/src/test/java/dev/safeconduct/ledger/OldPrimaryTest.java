package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * After a failover the old primary comes back as it was, as a primary, and is the first host of
 * {@code DATABASE_URL}.
 */
@Timeout(120)
@Tag("slow")
final class OldPrimaryTest {
  private static final String READY = "/readyz";

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before each test
  private Path folder;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static PostgresServer old;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static PostgresServer next;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static Map<String, String> settings;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static String agent;

  @BeforeAll
  static void failOver(@TempDir Path first) {
    old = PostgresServer.start();
    String url = old.freshDatabase();
    try (TestService service = TestService.start(first, settings(url))) {
      agent = Questions.hosted(service, 1_000);
    }
    old.crash();
    next = old.startCopy();
    String hosts = "@127.0.0.1:" + old.port() + ",127.0.0.1:" + next.port();
    settings = settings(url.replaceFirst("@127[^/]*", hosts));
  }

  @AfterEach
  void stopTheOldOne() {
    old.thaw();
    old.crash();
  }

  @AfterAll
  static void stop() {
    old.close();
    next.close();
  }

  private static Map<String, String> settings(String url) {
    return Map.of(
        "DATABASE_URL",
        url,
        "SAFECONDUCT_MASTER_KEY",
        "a master key of the tests, long enough",
        "ADMIN_TOKEN",
        TestService.ADMIN_TOKEN);
  }

  private TestService node() {
    return TestService.start(folder.resolve("node"), settings);
  }

  private String code(Calls calls) {
    Reply reply = calls.post(Questions.MESSAGE, Questions.message(agent));
    return reply.status() == 200 ? Questions.code(reply) : Integer.toString(reply.status());
  }

  /** Enough at once for every connection of the pool. */
  private void checkSuspension(TestService node) {
    Calls admin = node.admin();
    Questions.status(node, agent, "suspended");
    assertThat(AtOnce.run(30, _ -> code(admin))).containsOnly("oap.passport_suspended");
    assertThat(AtOnce.run(30, _ -> admin.get("/api/passports/" + agent).string("status")))
        .containsOnly("suspended");
    Questions.status(node, agent, "active");
  }

  /** Nothing was recorded since the failover, so that the log does not tell the two apart. */
  @Test
  void newConnectionsAreToTheServerThatTheNodeWritesTo() {
    try (TestService node = node()) {
      await(() -> node.nobody().get(READY).status() == 200);
      old.resume();
      checkSuspension(node);
    }
  }

  @Test
  void itIsPassedOverWhenConnectionsBreak() {
    try (TestService node = node()) {
      await(() -> code(node.admin()).equals("oap.allowed"));
      old.resume();
      for (int round = 0; round < 2; round++) {
        long newest = Questions.newestRecord(node);
        next.disconnectAll();
        await(() -> code(node.admin()).equals("oap.allowed"));
        assertThat(Questions.newestRecord(node)).isEqualTo(newest + 1);
        checkSuspension(node);
      }
    }
    // The next start knows what the node has seen, and passes it over as well.
    try (TestService again = node()) {
      checkSuspension(again);
    }
  }

  @Test
  void aloneItIsRefusedUntilTheOtherIsBack() {
    try (TestService node = node()) {
      await(() -> code(node.admin()).equals("oap.allowed"));
      long newest = Questions.newestRecord(node);
      old.resume();
      next.crash();
      await(() -> node.admin().get("/metrics").text().contains("safeconduct_log_refused 1.0"));
      assertThat(node.nobody().get(READY).status()).isEqualTo(503);
      assertThat(code(node.admin())).isEqualTo("503");
      next.resume();
      await(() -> code(node.admin()).equals("oap.allowed"));
      assertThat(Questions.newestRecord(node)).isEqualTo(newest + 1);
    }
  }

  /** It accepts connections and does not answer: the other one is found all the same. */
  @Test
  void whenItHangsTheOtherIsFound() {
    old.resume();
    old.freeze();
    try (TestService node = node()) {
      await(() -> code(node.admin()).equals("oap.allowed"));
      next.disconnectAll();
      await(() -> code(node.admin()).equals("oap.allowed"));
      checkSuspension(node);
    }
  }
}
