package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long the state of agent.session.create.v1, data.report.ingest.v1 and others counts. */
final class SessionLifetimesTest {
  @Test
  void aSessionIsOpenForTheDurationItAskedFor() throws Exception {
    assertThat(openFor("'max_session_duration': 900", "'requested_duration': 300")).isEqualTo(300);
  }

  @Test
  void elseForTheDefaultElseForTheGreatestElseForAnHour() throws Exception {
    assertThat(openFor("'max_session_duration': 900, 'default_session_duration': 70", ""))
        .isEqualTo(70);
    assertThat(openFor("'max_session_duration': 900", "")).isEqualTo(900);
    assertThat(openFor("'default_session_duration': null", "")).isEqualTo(3600);
  }

  @Test
  void sessionsOpenedBeforeThereWasALimitCountOnceThereIsOne() throws Exception {
    var session = session("");
    assertThat(session.ask(context(""))).isInstanceOf(Outcome.Allow.class);
    session.carries(passport("'max_concurrent_sessions': 1"));
    assertThat(session.ask(context("")).reason().code()).isEqualTo("oap.concurrent_limit_exceeded");
  }

  @Test
  void anIdempotencyKeyIsFreeAgainAfterADay() throws Exception {
    var session =
        new TestSession(
            TestPacks.builtIn("data.report.ingest.v1"),
            object(
                "{'status': 'active', 'assurance_level': 'L2', 'capabilities':"
                    + " ['data.report.ingest'], 'limits': {'approved_sources': ['*'],"
                    + " 'max_data_age_seconds': 1e9, 'max_ingest_frequency_per_hour': 99}}"));
    JsonObject report =
        object(
            "{'report_type': 'a', 'data_source_id': 'b', 'idempotency_key': 'c',"
                + " 'data_timestamp': '2026-11-01T00:00:00Z'}");
    assertThat(session.ask(report)).isInstanceOf(Outcome.Allow.class);
    session.pass(Duration.ofHours(24).minusMillis(1));
    assertThat(session.ask(report).reason().code()).isEqualTo("oap.idempotency_conflict");
    session.pass(Duration.ofMillis(1));
    assertThat(session.ask(report)).isInstanceOf(Outcome.Allow.class);
  }

  @Test
  void aToolsNameIsTakenForGood() throws Exception {
    var session =
        new TestSession(
            TestPacks.builtIn("agent.tool.register.v1"),
            object("{'status': 'active', 'capabilities': ['agent.tool.register']}"));
    JsonObject tool =
        object(
            "{'tool_name': 'clock', 'tool_type': 'api', 'capabilities': ['agent.tool.register']}");
    assertThat(session.ask(tool)).isInstanceOf(Outcome.Allow.class);
    session.pass(Duration.ofDays(4000));
    assertThat(session.ask(tool).reason().code()).isEqualTo("oap.tool_already_exists");
  }

  /** The seconds after which the one session that may be open makes room for another. */
  private static long openFor(String limits, String asked) throws Exception {
    var session = session("'max_concurrent_sessions': 1, " + limits);
    assertThat(session.ask(context(asked))).isInstanceOf(Outcome.Allow.class);
    for (long seconds = 0; seconds < 4000; seconds += 10) {
      if (session.ask(context(asked)) instanceof Outcome.Allow) {
        return seconds;
      }
      session.pass(Duration.ofSeconds(10));
    }
    return Long.MAX_VALUE;
  }

  private static TestSession session(String limits) throws Exception {
    return new TestSession(TestPacks.builtIn("agent.session.create.v1"), passport(limits));
  }

  private static JsonObject passport(String limits) throws Exception {
    return object(
        "{'status': 'active', 'capabilities': ['agent.session.create'], 'limits': {"
            + limits
            + "}}");
  }

  private static JsonObject context(String more) throws Exception {
    return object(
        "{'user_id': 'u', 'session_type': 'batch'" + (more.isEmpty() ? "" : ", " + more) + "}");
  }

  private static JsonObject object(String text) throws Exception {
    return (JsonObject) Json.parse(text.replace('\'', '"'));
  }
}
