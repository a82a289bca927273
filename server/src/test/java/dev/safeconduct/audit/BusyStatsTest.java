package dev.safeconduct.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counting the decisions of an organization that has more in a day than are counted at once. */
final class BusyStatsTest {
  private static final MovableClock CLOCK = new MovableClock();
  private static final String STATS = "/api/audit/stats";
  private static final int AGENTS = 24_000;

  private static TestService service;

  /** One decision each of many agents, evenly over the last 20 hours. */
  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    service = TestService.start(folder, Map.of(), CLOCK);
    String agent = Questions.hosted(service, 9);
    service.owner().post(Questions.COMMAND, Questions.command(agent, "ls"));
    CLOCK.advance(Duration.ofHours(20));
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("safeconduct.db"));
        PreparedStatement copy =
            connection.prepareStatement(
                """
                WITH RECURSIVE one(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM one WHERE n < ? - 1)
                INSERT INTO audit (log_index, record_id, kind, org, at_ms, agent, policy, allow,
                  code, body, signature, details, salt, commitment)
                SELECT log_index + 1000 + n,
                  unhex(printf('%012x%020x', at_ms + 1 + n * 3000, n)), kind, org,
                  at_ms + 1 + n * 3000, 'ap_' || n, policy, allow, code, body, signature, details,
                  salt, commitment
                FROM audit, one WHERE kind = 'decision'
                """)) {
      copy.setInt(1, AGENTS);
      assertThat(copy.executeUpdate()).isEqualTo(AGENTS);
    }
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void withoutFromAsMuchIsCountedAsFits() throws JsonFault {
    Reply reply = service.owner().get(STATS);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    // All agents together have more members than a request may have.
    JsonObject stats =
        Json.parseObject(
            reply
                .text()
                .replaceFirst("\"agents\":\\[[^]]+],", "")
                .getBytes(StandardCharsets.UTF_8));
    Instant from = stats.string("from").flatMap(IsoInstant::parse).orElseThrow();
    Instant to = stats.string("to").flatMap(IsoInstant::parse).orElseThrow();
    assertThat(to).isEqualTo(CLOCK.instant().truncatedTo(ChronoUnit.MILLIS));
    assertThat(Duration.between(from, to)).isBetween(Duration.ofHours(1), Duration.ofHours(23));
    long counted = Questions.number(stats, "decisions");
    assertThat(counted).isBetween(AGENTS / 20L, 20_000L);
    assertThat(counted)
        .as("all of the time it names, one every three seconds")
        .isCloseTo(Duration.between(from, to).toSeconds() / 3, within(2L));
    assertThat(Questions.number(stats, "interval_seconds")).isEqualTo(3600);
    String again = service.owner().get(STATS + "?from=" + from + "&to=" + to).text();
    assertThat(again).isEqualTo(reply.text());
  }

  @Test
  void anEarlierEndIsCountedBackFromThere() {
    Instant to = CLOCK.instant().minus(Duration.ofHours(19));
    Reply reply = service.owner().get(STATS + "?to=" + to);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(Questions.number(reply.json(), "decisions")).isBetween(1_000L, 1_300L);
  }

  @Test
  void minutesAloneAreAsManyAsThereMayBe() {
    Reply reply = service.owner().get(STATS + "?interval=minute&agent_id=ap_7");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    Instant from = reply.json().string("from").flatMap(IsoInstant::parse).orElseThrow();
    Instant to = reply.json().string("to").flatMap(IsoInstant::parse).orElseThrow();
    assertThat(Duration.between(from, to)).isEqualTo(Duration.ofMinutes(1000));
  }

  @Test
  void tooMuchThatWasAskedForIsRefused() {
    Instant from = CLOCK.instant().minus(Duration.ofHours(24));
    Reply reply = service.owner().get(STATS + "?from=" + from);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
    assertThat(reply.string("field")).isEqualTo("from");
  }
}
