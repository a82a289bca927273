package dev.safeconduct.passport;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Once a suspension has been answered nothing is allowed any more, here and on other nodes. */
final class SuspensionTest {
  private static final int ASKING = 16;

  private static final Map<String, String> DATABASE = EachStore.POSTGRES.settings();
  @AutoClose private static final TestService one = TestService.start(DATABASE);
  @AutoClose private static final TestService two = TestService.start(DATABASE);
  @AutoClose private static final TestService alone = TestService.start();

  @Test
  void deniesTheNextQuestion() {
    String agent = Questions.hosted(alone, 1000);
    for (int i = 0; i < 20; i++) {
      for (Map.Entry<String, String> move :
          List.of(
              Map.entry("suspended", "oap.passport_suspended"),
              Map.entry("active", "oap.allowed"))) {
        Questions.status(alone, agent, move.getKey());
        assertThat(ask(alone, alone.key(), COMMAND, agent)).isEqualTo(move.getValue());
        assertThat(ask(alone, alone.key(), MESSAGE, agent)).isEqualTo(move.getValue());
      }
    }
  }

  @Test
  void deniesTheNextQuestionOnTheOtherNode() {
    String agent = Questions.hosted(one, 1000);
    for (int i = 0; i < 20; i++) {
      Questions.status(i % 2 == 0 ? one : two, agent, "suspended");
      assertThat(ask(two, one.key(), COMMAND, agent)).isEqualTo("oap.passport_suspended");
      assertThat(ask(one, one.key(), COMMAND, agent)).isEqualTo("oap.passport_suspended");
      Questions.status(two, agent, "active");
      assertThat(ask(one, one.key(), MESSAGE, agent)).isEqualTo("oap.allowed");
    }
  }

  /** An instance is denied while its template is not active, and allowed again after. */
  @Test
  void aSuspendedTemplateStopsItsInstances() {
    String template = Questions.hosted(one, 100);
    JsonObject instance =
        Questions.passport(Questions.freshAgent(), 100)
            .with("kind", new JsonString("instance"))
            .with("parent_agent_id", new JsonString(template));
    String agent = Questions.hosted(one, one.org(), instance);
    assertThat(ask(two, one.key(), MESSAGE, agent)).isEqualTo("oap.allowed");
    Questions.status(one, template, "suspended");
    assertThat(ask(two, one.key(), MESSAGE, agent)).isEqualTo("oap.passport_suspended");
    assertThat(ask(one, one.key(), COMMAND, agent)).isEqualTo("oap.passport_suspended");
    Questions.status(two, template, "active");
    assertThat(ask(one, one.key(), COMMAND, agent)).isEqualTo("oap.allowed");
  }

  @Test
  void nothingIsAllowedAfterTheRecordOfASuspension() {
    for (int i = 0; i < 3; i++) {
      suspendsWhileOthersAsk(List.of(alone), alone.key(), Questions.hosted(alone, 100_000));
    }
  }

  @Test
  void nothingIsAllowedAfterItOnAnyNode() {
    for (int i = 0; i < 3; i++) {
      suspendsWhileOthersAsk(List.of(one, two), one.key(), Questions.hosted(one, 100_000));
    }
  }

  /** Callers go on asking until each has been denied; one of them suspends after a while. */
  private static void suspendsWhileOthersAsk(List<TestService> nodes, String key, String agent) {
    var answered = new AtomicBoolean();
    var asked = new AtomicInteger();
    AtOnce.run(
        ASKING + 1,
        i -> {
          TestService node = nodes.get(i % nodes.size());
          if (i == ASKING) {
            while (asked.get() < 5 * ASKING) {
              Thread.onSpinWait();
              Thread.onSpinWait();
            }
            Questions.status(node, agent, "suspended");
            answered.set(true);
            return true;
          }
          for (boolean late = false; !late; ) {
            late = answered.get();
            String code = ask(node, key, i % 3 == 0 ? MESSAGE : COMMAND, agent);
            asked.incrementAndGet();
            assertThat(code).isIn("oap.allowed", "oap.passport_suspended");
            if (late) {
              assertThat(code).isEqualTo("oap.passport_suspended");
            }
          }
          return true;
        });
    long suspended = -1;
    long lastAllowed = -1;
    for (JsonObject record : allRecords(nodes.getFirst().admin(), agent)) {
      long place = Questions.number(record, "log_index");
      if (record.string("kind").orElse("").equals("status_change")) {
        suspended = place;
      } else if (record.isTrue("allow")) {
        lastAllowed = Math.max(lastAllowed, place);
      }
    }
    assertThat(lastAllowed).isPositive().isLessThan(suspended);
  }

  private static List<JsonObject> allRecords(Calls calls, String agent) {
    var all = new ArrayList<JsonObject>();
    String cursor = "";
    while (true) {
      Reply page = calls.get("/api/audit?limit=200&agent_id=" + agent + cursor);
      page.json().array("records").orElseThrow().forEach(record -> all.add((JsonObject) record));
      if (page.json().string("next_cursor").isEmpty()) {
        return all;
      }
      cursor = "&cursor=" + page.string("next_cursor");
    }
  }

  @Test
  void aRevokedKeyIsRefusedAtOnce() {
    for (List<TestService> nodes : List.of(List.of(alone), List.of(one, two))) {
      TestService first = nodes.getFirst();
      TestService last = nodes.getLast();
      String agent = Questions.hosted(first, 100);
      Reply made =
          first
              .admin()
              .post(
                  "/api/orgs/" + first.org() + "/keys",
                  Calls.json("{'name': 'k', 'scopes': ['read']}"));
      Calls calls = last.withKey(made.string("key"));
      assertThat(calls.post(COMMAND, Questions.command(agent, "ls")).status()).isEqualTo(200);
      Reply revoked =
          first.admin().delete("/api/orgs/" + first.org() + "/keys/" + made.string("key_id"));
      assertThat(revoked.status()).as(revoked.toString()).isEqualTo(200);
      assertThat(calls.post(COMMAND, Questions.command(agent, "ls")).status()).isEqualTo(401);
    }
  }

  @Test
  void narrowedLimitsBindTheNextQuestion() {
    String agent = Questions.hosted(one, 100);
    assertThat(ask(two, one.key(), COMMAND, agent)).isEqualTo("oap.allowed");
    Reply narrowed =
        one.owner()
            .patch(
                "/api/passports/" + agent,
                "{\"limits\":{\"system.command.execute\":{\"allowed_commands\":[\"cat\"]}}}");
    assertThat(narrowed.status()).as(narrowed.toString()).isEqualTo(200);
    assertThat(ask(two, one.key(), COMMAND, agent)).isEqualTo("oap.command_not_allowed");
  }

  private static String ask(TestService service, String key, String path, String agent) {
    JsonObject question =
        path.equals(COMMAND) ? Questions.command(agent, "ls") : Questions.message(agent);
    return Questions.code(service.withKey(key).post(path, question));
  }
}
