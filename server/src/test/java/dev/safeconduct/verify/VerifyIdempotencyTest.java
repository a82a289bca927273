package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A repeated question with the same idempotency key gets the same decision, counted once. */
final class VerifyIdempotencyTest {
  @AutoClose private static final TestService service = TestService.start();

  private static Calls keyed(String key) {
    return service.owner().with("Idempotency-Key", key);
  }

  private static boolean replayed(Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.header("Idempotent-Replayed").equals(java.util.Optional.of("true"));
  }

  private static JsonObject decision(Reply reply) {
    return reply.json().object("decision").orElseThrow();
  }

  @Test
  void replaysAnAllowAndCountsItOnce() {
    String agent = Questions.hosted(service, 2);
    JsonObject question = Questions.message(agent);
    Reply first = keyed("allow-1").post(MESSAGE, question);
    assertThat(replayed(first)).isFalse();
    for (int i = 0; i < 4; i++) {
      long before = Questions.newestRecord(service);
      Reply again = keyed("allow-1").post(MESSAGE, question);
      assertThat(replayed(again)).isTrue();
      assertThat(decision(again)).isEqualTo(decision(first));
      assertThat(Questions.newestRecord(service)).isEqualTo(before);
    }
    assertThat(Questions.code(service.owner().post(MESSAGE, question))).isEqualTo("oap.allowed");
    assertThat(Questions.code(service.owner().post(MESSAGE, question)))
        .isEqualTo("oap.rate_limit_exceeded");
    // Still the allow of then, though by now there is no room for another.
    assertThat(replayed(keyed("allow-1").post(MESSAGE, question))).isTrue();
  }

  @Test
  void replaysADeny() {
    String agent = Questions.hosted(service, 2);
    JsonObject question = Questions.command(agent, "rm -rf /");
    Reply first = keyed("deny-1").post(COMMAND, question);
    Reply again = keyed("deny-1").post(COMMAND, question);
    assertThat(replayed(again)).isTrue();
    assertThat(decision(again)).isEqualTo(decision(first));
    assertThat(again.json().isTrue("allow")).isFalse();
    JsonObject minimal =
        keyed("deny-1").with("Prefer", "return=minimal").post(COMMAND, question).json();
    assertThat(minimal).isEqualTo(decision(first));
  }

  @Test
  void takesTheKeyFromTheBodyToo() {
    String agent = Questions.hosted(service, 1);
    JsonObject question =
        Questions.message(agent).with("idempotency_key", new JsonString("in the body"));
    Reply first = service.owner().post(MESSAGE, question);
    assertThat(replayed(first)).isFalse();
    Reply again = service.owner().post(MESSAGE, question);
    assertThat(replayed(again)).isTrue();
    assertThat(decision(again)).isEqualTo(decision(first));
  }

  /** Spelling does not make another request; content does. */
  @Test
  void comparesTheCanonicalBody() {
    String agent = Questions.hosted(service, 5);
    String body = "{\"agent_id\":\"%s\",\"context\":{\"command\":\"ls\",\"timeout\":%s}}";
    assertThat(replayed(keyed("same").post(COMMAND, body.formatted(agent, "30")))).isFalse();
    assertThat(replayed(keyed("same").post(COMMAND, body.formatted(agent, " 3.0e1 ")))).isTrue();
    long before = Questions.newestRecord(service);
    Reply other = keyed("same").post(COMMAND, body.formatted(agent, "31"));
    assertThat(other.status()).isEqualTo(409);
    assertThat(other.string("code")).isEqualTo("conflict");
    assertThat(other.json().get("allow")).isEqualTo(JsonBoolean.FALSE);
    assertThat(keyed("same").post(MESSAGE, Questions.message(agent)).status()).isEqualTo(409);
    assertThat(Questions.newestRecord(service)).isEqualTo(before);
  }

  /** The canonical form of a number that a double rounds is that of another value. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'a': 1234567890123456789, 'b': 1234567890123456788"
            + " | 'b': 1234567890123456788, 'a': 1234567890123456789 | true",
        "'a': 1.00000000000000001, 'b': 1 | 'a': 1.00000000000000001, 'b': 1 | true",
        "'a': 1.00000000000000001, 'b': 1"
            + " | 'a': 1.00000000000000001, 'b': 1.00000000000000001 | false",
        "'a': 1.00000000000000001, 'b': 1 | 'b': 1.00000000000000001, 'a': 1 | false",
        "'a': 1e400, 'b': 1e400 | 'a': 1e400, 'b': '1e400' | false",
      },
      quoteCharacter = '`')
  void comparesEachNumber(String one, String other, boolean same) {
    String agent = Questions.hosted(service, 5);
    String key = one + other;
    String body = "{'agent_id': '" + agent + "', 'context': {'command': 'ls', %s}}";
    String first = body.formatted(one).replace('\'', '"');
    String second = body.formatted(other).replace('\'', '"');
    assertThat(keyed(key).post(COMMAND, first).status()).isEqualTo(200);
    assertThat(keyed(key).post(COMMAND, second).status()).isEqualTo(same ? 200 : 409);
  }

  @Test
  void judgesAfreshWhenThePassportHasChanged() {
    String agent = Questions.hosted(service, 5);
    JsonObject question = Questions.command(agent, "git status");
    Reply first = keyed("changing").post(COMMAND, question);
    Questions.status(service, agent, "suspended");
    Reply second = keyed("changing").post(COMMAND, question);
    assertThat(replayed(second)).isFalse();
    assertThat(Questions.code(second)).isEqualTo("oap.passport_suspended");
    assertThat(replayed(keyed("changing").post(COMMAND, question))).isTrue();
    Questions.status(service, agent, "active");
    Reply third = keyed("changing").post(COMMAND, question);
    assertThat(Questions.code(third)).isEqualTo("oap.allowed");
    assertThat(third.string("decision_id")).isNotEqualTo(first.string("decision_id"));
    assertThat(
            service
                .owner()
                .patch(
                    "/api/passports/" + agent,
                    "{\"limits\":{\"system.command.execute\":{\"allowed_commands\":[\"ls\"]}}}")
                .status())
        .isEqualTo(200);
    assertThat(Questions.code(keyed("changing").post(COMMAND, question)))
        .isEqualTo("oap.command_not_allowed");
  }

  @Test
  void keepsTheKeysOfCredentialsApart() {
    String agent = Questions.hosted(service, 5);
    String second = Questions.newKey(service, service.org(), "{'name': 'b', 'scopes': ['read']}");
    JsonObject question = Questions.command(agent, "git status");
    Reply first = keyed("shared").post(COMMAND, question);
    Reply other = service.withKey(second).with("Idempotency-Key", "shared").post(COMMAND, question);
    assertThat(replayed(other)).isFalse();
    assertThat(other.string("decision_id")).isNotEqualTo(first.string("decision_id"));
    Reply differing =
        service
            .withKey(second)
            .with("Idempotency-Key", "shared")
            .post(COMMAND, Questions.command(agent, "ls"));
    assertThat(differing.status()).isEqualTo(409);
  }

  @Test
  void aDryRunTakesNoKey() {
    String agent = Questions.hosted(service, 5);
    Reply dry =
        keyed("dry").post(COMMAND + "?dry_run=true", Questions.command(agent, "git status"));
    assertThat(replayed(dry)).isFalse();
    assertThat(replayed(keyed("dry").post(COMMAND, Questions.command(agent, "ls")))).isFalse();
    Reply after = keyed("dry").post(COMMAND + "?dry_run=true", Questions.command(agent, "ls"));
    assertThat(replayed(after)).isFalse();
    assertThat(after.json().isTrue("dry_run")).isTrue();
  }

  /** The pack's own key is judged by the pack, and does not replay. */
  @Test
  void theContextsKeyIsNotThisOne() {
    String agent = Questions.hosted(service, 5);
    JsonObject question =
        Calls.json(
            "{'context': {'agent_id': '"
                + agent
                + "', 'command': 'ls',"
                + " 'idempotency_key': 'idem_abcdefgh'}}");
    Reply first = service.owner().post(COMMAND, question);
    Reply again = service.owner().post(COMMAND, question);
    assertThat(replayed(again)).isFalse();
    assertThat(again.string("decision_id")).isNotEqualTo(first.string("decision_id"));
  }

  /** Many at once with one key: one decision, one charge, everybody hears of it. */
  @Test
  void decidesOnceHoweverManyAskAtOnce() throws InterruptedException, ExecutionException {
    String agent = Questions.hosted(service, 1);
    JsonObject question = Questions.message(agent);
    List<Callable<Reply>> calls =
        IntStream.range(0, 32)
            .<Callable<Reply>>mapToObj(_ -> () -> keyed("at once").post(MESSAGE, question))
            .toList();
    Set<String> decisions = new HashSet<>();
    int fresh = 0;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Reply> answer : threads.invokeAll(calls)) {
        Reply reply = answer.get();
        assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
        decisions.add(reply.string("decision_id"));
        fresh += replayed(reply) ? 0 : 1;
      }
    }
    assertThat(decisions).hasSize(1);
    assertThat(fresh).isEqualTo(1);
  }

  @Test
  void refusesKeysThatAreTooLong() {
    String agent = Questions.hosted(service, 5);
    Reply reply = keyed("k".repeat(257)).post(COMMAND, Questions.command(agent, "ls"));
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.string("field")).isEqualTo("idempotency_key");
  }
}
