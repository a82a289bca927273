package dev.safeconduct.audit;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Looking for words in reasons, and counting decisions. */
final class AuditReadingTest {
  private static final MovableClock CLOCK = new MovableClock();

  @AutoClose private static final EachStore.Services services = new EachStore.Services(CLOCK);

  private static String ask(TestService service, String agent, String command) {
    return service.owner().post(COMMAND, Questions.command(agent, command)).string("decision_id");
  }

  private static List<String> found(TestService service, String query) {
    var ids = new ArrayList<String>();
    for (JsonValue record : Questions.records(service.owner(), query)) {
      ids.add(((JsonObject) record).string("record_id").orElseThrow());
    }
    return ids;
  }

  @ParameterizedTest
  @EnumSource
  void findsWordsOfReasons(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 5);
    String allowed = ask(service, agent, "ls");
    String denied = ask(service, agent, "cargo build");
    Reply decision = service.owner().get("/api/decisions/" + denied);
    String code = Questions.code(decision);
    String message =
        ((JsonObject) decision.json().array("reasons").orElseThrow().get(0))
            .string("message")
            .orElseThrow();
    String word = message.split("\\W+", -1)[1];
    String mine = "&agent_id=" + agent;
    assertThat(found(service, "q=" + code.toUpperCase(java.util.Locale.ROOT) + mine))
        .containsExactly(denied);
    assertThat(found(service, "q=" + word + "%20" + code + mine)).containsExactly(denied);
    assertThat(found(service, "q=oap" + mine)).containsExactly(denied, allowed);
    assertThat(found(service, "q=oap%20nothing-like-that" + mine)).isEmpty();
    assertThat(found(service, "q=%25" + mine)).isEmpty();
    assertThat(found(service, "q=oap&limit=1" + mine)).containsExactly(denied);
    Reply page = service.owner().get("/api/audit?q=oap&limit=1" + mine);
    assertThat(found(service, "q=oap&limit=1" + mine + "&cursor=" + page.string("next_cursor")))
        .containsExactly(allowed);
    Reply refused = service.owner().get("/api/audit?q=" + "x".repeat(201));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.string("field")).isEqualTo("q");
  }

  @ParameterizedTest
  @EnumSource
  void countsByAgentAndByRuleOverTime(EachStore store) {
    TestService service = services.on(store);
    String one = Questions.hosted(service, 50);
    String two = Questions.hosted(service, 50);
    CLOCK.advance(Duration.ofDays(10)); // away from what other tests ask
    ask(service, one, "ls");
    ask(service, one, "cargo build");
    ask(service, two, "ls");
    CLOCK.advance(Duration.ofHours(1));
    ask(service, one, "ls");
    service.owner().post(Questions.MESSAGE, Questions.message(two));
    CLOCK.advance(Duration.ofMillis(1));
    Reply reply = service.owner().get("/api/audit/stats");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    JsonObject stats = reply.json();
    assertThat(Questions.number(stats, "decisions")).isEqualTo(5);
    assertThat(Questions.number(stats, "interval_seconds")).isEqualTo(3600);
    JsonArray agents = stats.array("agents").orElseThrow();
    assertThat(count(agents, "agent_id", one, "allowed")).containsExactly(1L, 1L);
    assertThat(count(agents, "agent_id", one, "denied")).containsExactly(1L, 0L);
    assertThat(count(agents, "agent_id", two, "allowed")).containsExactly(1L, 1L);
    JsonArray rules = stats.array("rules").orElseThrow();
    assertThat(count(rules, "policy_id", "messaging.message.send.v1", "count")).containsExactly(1L);
    assertThat(rules.toString()).contains("\"rule\":");
    Reply mine = service.owner().get("/api/audit/stats?allow=false&agent_id=" + one);
    assertThat(Questions.number(mine.json(), "decisions")).isEqualTo(1);
    Reply days = service.owner().get("/api/audit/stats?interval=day");
    assertThat(count(days.json().array("agents").orElseThrow(), "agent_id", one, "allowed"))
        .containsExactly(2L);
    Questions.Tenant other = Questions.Tenant.made(service, "Other", "'read_audit'");
    Reply theirs = service.withKey(other.key()).get("/api/audit/stats?org_id=" + service.org());
    assertThat(Questions.number(theirs.json(), "decisions")).isZero();
    for (String wrong :
        List.of(
            "interval=year",
            "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
            "interval=minute&from=2020-01-01T00:00:00Z")) {
      assertThat(service.owner().get("/api/audit/stats?" + wrong).status())
          .as(wrong)
          .isEqualTo(400);
    }
  }

  private static List<Long> count(JsonArray rows, String name, String value, String member) {
    var counts = new ArrayList<Long>();
    for (JsonValue row : rows) {
      if (((JsonObject) row).string(name).orElse("").equals(value)) {
        counts.add(Questions.number((JsonObject) row, member));
      }
    }
    return counts;
  }
}
