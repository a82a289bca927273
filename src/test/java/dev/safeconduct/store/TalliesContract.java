package dev.safeconduct.store;

import static dev.safeconduct.store.Fixtures.NOW;
import static dev.safeconduct.store.Fixtures.ORG;
import static dev.safeconduct.store.Fixtures.OTHER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.tally.CountDecisions;
import dev.safeconduct.tally.Tallies;
import dev.safeconduct.usage.Fence;
import dev.safeconduct.usage.LedgerEntry;
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
abstract class TalliesContract extends StoreContract {
  private void decide(OrgId org, String agent, Instant at, boolean allow, String body) {
    store()
        .ledger()
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
                new Fence(Long.MAX_VALUE, List.of()),
                Optional.empty()));
  }

  private CountDecisions counting() {
    return new CountDecisions(store().tallies(), () -> NOW);
  }

  private static long lately(Instant at) {
    return Tallies.Kind.AGENT.lately(at.toEpochMilli());
  }

  @Test
  void decisionsAreCountedByOrganizationTimeAgentAndReason() {
    Tallies tallies = store().tallies();
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
    assertThat(tallies.buckets(ORG, Tallies.Kind.MINUTE, lately).values())
        .containsExactly(new Tallies.Counts(2, 1), new Tallies.Counts(0, 1));
    assertThat(tallies.of(ORG, Tallies.Kind.AGENT, "ap_one", lately))
        .isEqualTo(new Tallies.Counts(1, 1));
    assertThat(tallies.names(ORG, Tallies.Kind.AGENT, lately)).isEqualTo(new Tallies.Names(3, 2));
    assertThat(tallies.top(ORG, Tallies.Kind.CODE, lately, true, 5))
        .containsExactly(new Tallies.Named("oap.domain_blocked", new Tallies.Counts(0, 2)));
    assertThat(tallies.top(ORG, Tallies.Kind.AGENT, lately, true, 9))
        .containsExactly(
            new Tallies.Named("ap_one", new Tallies.Counts(1, 1)),
            new Tallies.Named("ap_two", new Tallies.Counts(0, 1)));
    assertThat(tallies.top(ORG, Tallies.Kind.AGENT, lately, false, 1))
        .containsExactly(new Tallies.Named("ap_one", new Tallies.Counts(1, 1)));
    assertThat(tallies.of(ORG, Tallies.Kind.AGENT, "ap_old", lately(NOW.minusSeconds(7200))))
        .isEqualTo(new Tallies.Counts(1, 0));
    assertThat(tallies.of(OTHER, Tallies.Kind.AGENT, "ap_four", lately))
        .isEqualTo(new Tallies.Counts(1, 0));
    assertThat(tallies.names(OTHER, Tallies.Kind.AGENT, lately).all()).isEqualTo(1);
  }

  @Test
  void whatAnAgentDidInTheLastHalfHourIsInOneBucketAtAnyTime() {
    Tallies tallies = store().tallies();
    Instant hour = NOW.truncatedTo(ChronoUnit.HOURS);
    for (int minute = 0; minute < 120; minute++) {
      decide(ORG, "ap_one", hour.plusSeconds(60L * minute), true, "{}");
    }
    counting().step();
    for (int minute = 60; minute < 120; minute++) {
      long since = lately(hour.plusSeconds(60L * minute));
      long behind = minute - (since - hour.toEpochMilli()) / 60_000;
      assertThat(behind).isBetween(30L, 59L);
      assertThat(tallies.of(ORG, Tallies.Kind.AGENT, "ap_one", since))
          .isEqualTo(new Tallies.Counts(60, 0));
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
    assertThat(store().tallies().buckets(ORG, Tallies.Kind.MINUTE, 0).values())
        .containsExactly(new Tallies.Counts(25, 25));
    assertThat(store().tallies().names(ORG, Tallies.Kind.AGENT, lately(NOW)).all()).isEqualTo(7);
  }

  @Test
  void oldCountsAreForgotten() {
    Tallies tallies = store().tallies();
    Instant old = NOW.minusSeconds(3 * 86_400);
    decide(ORG, "ap_one", old, true, "{}");
    decide(ORG, "ap_one", NOW, true, "{}");
    counting().step();
    assertThat(tallies.buckets(ORG, Tallies.Kind.MINUTE, 0)).hasSize(1);
    assertThat(tallies.of(ORG, Tallies.Kind.AGENT, "ap_one", lately(old)))
        .isEqualTo(Tallies.Counts.NONE);
    assertThat(tallies.of(ORG, Tallies.Kind.AGENT, "ap_one", lately(NOW)))
        .isEqualTo(new Tallies.Counts(1, 0));
  }
}
