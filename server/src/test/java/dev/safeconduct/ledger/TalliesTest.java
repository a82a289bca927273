package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static dev.safeconduct.ledger.Fixtures.ORG;
import static dev.safeconduct.ledger.Fixtures.OTHER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.audit.CountDecisions;
import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Counts are those of the log, however often and by however many it is gone through. */
final class TalliesTest extends StoreContract {
  private void decide(OrgId org, String agent, Instant at, boolean allow, String body) {
    new Ledger(store())
        .commit(
            new LedgerEntry(
                new AuditRecord(
                    UUID.randomUUID(),
                    RecordKind.DECISION,
                    org,
                    at,
                    Optional.of(new AgentId(agent)),
                    Optional.of("web.fetch.v1"),
                    Optional.of(allow),
                    Optional.of(allow ? "oap.allowed" : "oap.domain_blocked"),
                    body.getBytes(StandardCharsets.UTF_8),
                    new byte[64],
                    "{}".getBytes(StandardCharsets.UTF_8)),
                List.of(),
                List.of(),
                new ReadSet(Long.MAX_VALUE, List.of()),
                Optional.empty()));
  }

  private CountDecisions counting() {
    return new CountDecisions(new DecisionCounts(store()), () -> NOW);
  }

  private static long lately(Instant at) {
    return DecisionCounts.Kind.AGENT.lately(at.toEpochMilli());
  }

  @Test
  void decisionsAreCountedByOrganizationTimeAgentAndReason() {
    DecisionCounts tallies = new DecisionCounts(store());
    decide(ORG, "ap_one", NOW, true, "{}");
    decide(ORG, "ap_one", NOW, false, "{}");
    decide(ORG, "ap_two", NOW.plusSeconds(60), false, "{\"dry_run\":false}");
    decide(ORG, "ap_two", NOW, true, "{\"dry_run\":true}");
    decide(ORG, "ap_three", NOW, true, "{\"a\":\"\\\"dry_run\\\":true\"}");
    decide(ORG, "ap_old", NOW.minusSeconds(7200), true, "{}");
    decide(OTHER, "ap_four", NOW, true, "{}");
    assertThat(counting().step()).isTrue();
    assertThat(counting().step()).as("nothing is counted again").isTrue();

    long lately = lately(NOW);
    assertThat(tallies.buckets(ORG, DecisionCounts.Kind.MINUTE, lately).values())
        .containsExactly(new DecisionCounts.Counts(2, 1), new DecisionCounts.Counts(0, 1));
    assertThat(tallies.of(ORG, DecisionCounts.Kind.AGENT, "ap_one", lately))
        .isEqualTo(new DecisionCounts.Counts(1, 1));
    assertThat(tallies.names(ORG, DecisionCounts.Kind.AGENT, lately))
        .isEqualTo(new DecisionCounts.Names(3, 2));
    assertThat(tallies.top(ORG, DecisionCounts.Kind.CODE, lately, true, 5))
        .containsExactly(
            new DecisionCounts.Named("oap.domain_blocked", new DecisionCounts.Counts(0, 2)));
    assertThat(tallies.top(ORG, DecisionCounts.Kind.AGENT, lately, true, 9))
        .containsExactly(
            new DecisionCounts.Named("ap_one", new DecisionCounts.Counts(1, 1)),
            new DecisionCounts.Named("ap_two", new DecisionCounts.Counts(0, 1)));
    assertThat(tallies.top(ORG, DecisionCounts.Kind.AGENT, lately, false, 1))
        .containsExactly(new DecisionCounts.Named("ap_one", new DecisionCounts.Counts(1, 1)));
    assertThat(tallies.of(ORG, DecisionCounts.Kind.AGENT, "ap_old", lately(NOW.minusSeconds(7200))))
        .isEqualTo(new DecisionCounts.Counts(1, 0));
    long day = DecisionCounts.Kind.AGENT_DAY.lately(NOW.toEpochMilli()) - 86_400_000;
    assertThat(tallies.topSince(ORG, DecisionCounts.Kind.AGENT_DAY, day, false, 1))
        .isEqualTo(
            new DecisionCounts.Top(
                new DecisionCounts.Names(4, 2),
                List.of(new DecisionCounts.Named("ap_one", new DecisionCounts.Counts(1, 1)))));
    assertThat(tallies.topSince(ORG, DecisionCounts.Kind.CODE, day, true, 5).first())
        .containsExactly(
            new DecisionCounts.Named("oap.domain_blocked", new DecisionCounts.Counts(0, 2)));
    assertThat(tallies.buckets(ORG, DecisionCounts.Kind.HOUR, day).values().stream())
        .extracting(DecisionCounts.Counts::total)
        .containsExactly(1L, 4L);
    assertThat(tallies.of(OTHER, DecisionCounts.Kind.AGENT, "ap_four", lately))
        .isEqualTo(new DecisionCounts.Counts(1, 0));
    assertThat(tallies.names(OTHER, DecisionCounts.Kind.AGENT, lately).all()).isEqualTo(1);
  }

  @Test
  void whatAnAgentDidInTheLastHalfHourIsInOneBucketAtAnyTime() {
    DecisionCounts tallies = new DecisionCounts(store());
    Instant hour = NOW.truncatedTo(ChronoUnit.HOURS);
    for (int minute = 0; minute < 120; minute++) {
      decide(ORG, "ap_one", hour.plusSeconds(60L * minute), true, "{}");
    }
    counting().step();
    for (int minute = 60; minute < 120; minute++) {
      long since = lately(hour.plusSeconds(60L * minute));
      long behind = minute - (since - hour.toEpochMilli()) / 60_000;
      assertThat(behind).isBetween(30L, 59L);
      assertThat(tallies.of(ORG, DecisionCounts.Kind.AGENT, "ap_one", since))
          .isEqualTo(new DecisionCounts.Counts(60, 0));
    }
  }

  @Test
  void manyWhoCountAtOnceCountOnce() throws Exception {
    for (int i = 0; i < 50; i++) {
      decide(ORG, "ap_" + i % 7, NOW, i % 2 == 0, "{}");
    }
    var steps = new ArrayList<Callable<Boolean>>();
    for (int i = 0; i < 8; i++) {
      steps.add(() -> counting().step());
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var step : threads.invokeAll(steps)) {
        step.get();
      }
    }
    counting().step();
    assertThat(new DecisionCounts(store()).buckets(ORG, DecisionCounts.Kind.MINUTE, 0).values())
        .containsExactly(new DecisionCounts.Counts(25, 25));
    assertThat(new DecisionCounts(store()).names(ORG, DecisionCounts.Kind.AGENT, lately(NOW)).all())
        .isEqualTo(7);
  }

  @Test
  void oldCountsAreForgotten() {
    DecisionCounts tallies = new DecisionCounts(store());
    Instant old = NOW.minusSeconds(3 * 86_400);
    decide(ORG, "ap_one", old, true, "{}");
    decide(ORG, "ap_one", NOW, true, "{}");
    CountDecisions counting = counting();
    counting.step();
    decide(ORG, "ap_one", old, true, "{}"); // as when an old log is counted again
    counting.step();
    assertThat(tallies.buckets(ORG, DecisionCounts.Kind.MINUTE, 0)).hasSize(1);
    assertThat(tallies.buckets(ORG, DecisionCounts.Kind.HOUR, 0)).hasSize(2);
    assertThat(tallies.of(ORG, DecisionCounts.Kind.AGENT, "ap_one", lately(old)))
        .isEqualTo(DecisionCounts.Counts.NONE);
    assertThat(tallies.of(ORG, DecisionCounts.Kind.AGENT, "ap_one", lately(NOW)))
        .isEqualTo(new DecisionCounts.Counts(1, 0));
  }

  @Test
  void recordsOfThisNodeAreCountedAsTheyWereCommittedAndAllOthersAreRead() {
    decide(ORG, "ap_before", NOW, true, "{}");
    CountDecisions counting = counting();
    for (int i = 0; i < 600; i++) { // more than one part of the log
      decide(ORG, "ap_one", NOW, i % 3 > 0, "{\"dry_run\":false}");
    }
    decide(OTHER, "ap_one", NOW, true, "{\"a\":1,\"dry_run\":true}");
    store().update(Sql.of("UPDATE audit SET allow = NULL WHERE agent = :agent", "ap_one"));
    while (!counting.step()) {
      // the log is longer than a step
    }
    DecisionCounts tallies = new DecisionCounts(store());
    assertThat(tallies.of(ORG, DecisionCounts.Kind.AGENT, "ap_one", lately(NOW)))
        .as("not read again")
        .isEqualTo(new DecisionCounts.Counts(400, 200));
    assertThat(tallies.of(ORG, DecisionCounts.Kind.AGENT, "ap_before", lately(NOW)))
        .isEqualTo(new DecisionCounts.Counts(1, 0));
    assertThat(tallies.names(OTHER, DecisionCounts.Kind.AGENT, lately(NOW)).all()).isZero();
    assertThat(store().number(Sql.of("SELECT count(DISTINCT part) FROM log_part"))).isEqualTo(2);

    decide(ORG, "ap_two", NOW, true, "{}");
    assertThat(counting().step()).as("one that reads, as another node's").isTrue();
    decide(ORG, "ap_two", NOW, false, "{}");
    assertThat(counting.step()).isTrue();
    decide(ORG, "ap_two", NOW, false, "{}");
    assertThat(counting().step()).as("after a restart").isTrue();
    assertThat(tallies.of(ORG, DecisionCounts.Kind.AGENT, "ap_two", lately(NOW)))
        .isEqualTo(new DecisionCounts.Counts(1, 2));
  }
}
