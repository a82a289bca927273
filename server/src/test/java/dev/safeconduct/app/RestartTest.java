package dev.safeconduct.app;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was answered once holds after a stop and a start. */
final class RestartTest {
  @Test
  void everythingIsThereAgain(@TempDir Path folder) {
    String key;
    String agent;
    JsonObject decision;
    String audit;
    JsonObject question;
    try (TestService first = TestService.start(folder, Map.of())) {
      key = first.key();
      agent = Questions.hosted(first, 2);
      question = Questions.message(agent);
      decision = replay(first, key, question).json().object("decision").orElseThrow();
      audit = first.admin().get("/api/audit").text();
    }
    try (TestService second = TestService.start(folder, Map.of())) {
      Calls owner = second.withKey(key);
      String id = decision.string("decision_id").orElseThrow();
      assertThat(owner.get("/api/decisions/" + id).json().object("decision")).contains(decision);
      assertThat(second.admin().get("/api/audit").text()).isEqualTo(audit);
      assertThat(owner.get("/api/passports/" + agent).status()).isEqualTo(200);

      Reply replayed = replay(second, key, question);
      assertThat(replayed.header("Idempotent-Replayed")).contains("true");
      assertThat(replayed.json().object("decision")).contains(decision);
      // One of two was used before the stop.
      assertThat(Questions.code(owner.post(MESSAGE, question))).isEqualTo("oap.allowed");
      assertThat(Questions.code(owner.post(MESSAGE, question)))
          .isEqualTo("oap.rate_limit_exceeded");
      Questions.status(second, agent, "suspended");
    }
    try (TestService third = TestService.start(folder, Map.of())) {
      assertThat(Questions.code(third.withKey(key).post(COMMAND, Questions.command(agent, "ls"))))
          .isEqualTo("oap.passport_suspended");
    }
  }

  private static Reply replay(TestService service, String key, JsonObject question) {
    Reply reply = service.withKey(key).with("Idempotency-Key", "k").post(MESSAGE, question);
    assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
    return reply;
  }

  /** A token nobody set is made once, and stays the one. */
  @Test
  void aMadeAdminTokenStays(@TempDir Path folder) throws Exception {
    String token;
    Map<String, String> environment =
        Map.of("PORT", "0", "DRAIN_SECONDS", "0", "DATA_DIR", folder.toString());
    try (Application first = started(environment)) {
      token = first.firstRun().newAdminToken().orElseThrow().reveal();
      assertThat(first.firstRun().made()).isPresent();
    }
    try (Application second = started(environment)) {
      assertThat(second.firstRun().newAdminToken()).isEmpty();
      assertThat(second.firstRun().made()).isEmpty();
      try (var client = java.net.http.HttpClient.newHttpClient()) {
        var base = java.net.URI.create("http://127.0.0.1:" + second.port() + "/");
        Calls calls = new Calls(client, base).with("Authorization", "Bearer " + token);
        assertThat(calls.get("/api/orgs").status()).isEqualTo(200);
      }
    }
  }

  private static Application started(Map<String, String> environment)
      throws IOException, WrongMasterKeyException {
    return Application.start(
        ServerConfig.from(new dev.safeconduct.config.Env(environment)),
        java.time.InstantSource.system());
  }

  @Test
  void aWrongMasterKeyStopsTheStart(@TempDir Path folder) throws IOException {
    TestService.start(folder, Map.of()).close();
    Files.delete(folder.resolve("master.key"));
    assertThatThrownBy(() -> TestService.start(folder, Map.of()))
        .cause()
        .isInstanceOf(WrongMasterKeyException.class)
        .hasMessageContaining("master key");
    assertThat(folder.resolve("master.key")).doesNotExist();
    String out = folder.resolve("all.ndjson").toString();
    var export = CommandRun.export(Map.of("DATA_DIR", folder.toString()), "--out", out);
    assertThat(export.status()).isEqualTo(2);
    assertThat(folder.resolve("master.key")).doesNotExist();
  }

  @Test
  void aWrongMasterKeyStopsTheStartOnPostgres() {
    String database = PostgresServer.shared().freshDatabase();
    TestService.start(settings(database, "the right key of these tests, long")).close();
    assertThatThrownBy(
            () -> TestService.start(settings(database, "some other key of these tests, long")))
        .cause()
        .isInstanceOf(WrongMasterKeyException.class)
        .hasMessageContaining("master key");
    TestService.start(settings(database, "the right key of these tests, long")).close();
  }

  private static Map<String, String> settings(String database, String masterKey) {
    return Map.of("DATABASE_URL", database, "SAFECONDUCT_MASTER_KEY", masterKey);
  }
}
