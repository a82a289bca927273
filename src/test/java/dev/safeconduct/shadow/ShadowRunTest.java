package dev.safeconduct.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.DecisionRequest;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.decision.facts.Feeds;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.schema.Formats;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.usage.Commit;
import dev.safeconduct.usage.CounterKey;
import dev.safeconduct.usage.Ledger;
import dev.safeconduct.usage.LedgerEntry;
import dev.safeconduct.usage.Usage;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What goes wrong in a trial is counted, and nothing of it reaches whoever offered it. */
final class ShadowRunTest {
  private static final OrgId ORG = new OrgId("org_1");

  /** Keeps results in memory; refuses so many times first. */
  private static final class KeptTrials implements Trials {
    private final Map<Subject, Tally> tallies = new HashMap<>();
    private int refusals;
    private boolean finished;

    @Override
    public synchronized void add(String node, Map<Subject, Result> results) {
      if (refusals-- > 0) {
        throw new Problem.Unavailable("The store is away.", 1).toException();
      }
      results.forEach((subject, result) -> tallies.merge(subject, result.tally(), Tally::plus));
    }

    @Override
    public void finished(String node) {
      finished = true;
    }

    @Override
    public Optional<Integer> latest(OrgId org, PolicyId id) {
      return Optional.empty();
    }

    @Override
    public Found found(Subject subject, Instant aliveSince) {
      return new Found(tally(), 0, 0);
    }

    @Override
    public List<Kept> differences(Subject subject, long before, int limit) {
      return List.of();
    }

    synchronized Tally tally() {
      return tallies.values().stream().reduce(Tally.ZERO, Tally::plus);
    }
  }

  /** Counters that cannot be read. */
  private static final class NoCounters implements Ledger {
    @Override
    public Commit commit(LedgerEntry entry) {
      throw new AssertionError("a trial commits nothing");
    }

    @Override
    public Usage totals(Collection<CounterKey> keys, long nowMs) {
      throw new Problem.Unavailable("The store is away.", 1).toException();
    }
  }

  private static ShadowRun run(Trials trials) {
    return new ShadowRun("node_1", new NoCounters(), trials, UnaryOperator.identity());
  }

  private static Trial trial(Optional<PolicyPack> pack, JsonObject context) {
    return new Trial(
        ORG,
        "acme.v1",
        2,
        "sha256:tried",
        pack,
        "ap_1",
        Instant.EPOCH,
        new UUID(1, 2),
        new Outcome.Deny(
            new Reason("oap.limit_exceeded", "too much", Optional.empty()), List.of(), List.of()),
        "sha256:active",
        (tried, usage) ->
            new PolicyDecisionPoint(Map.of(), _ -> {})
                .decide(
                    new DecisionRequest(
                        tried,
                        Calls.json("{'status': 'active', 'capabilities': ['a']}"),
                        true,
                        context,
                        Optional.empty(),
                        usage,
                        List.of("test"),
                        Feeds.NONE,
                        Instant.EPOCH,
                        false)),
        Weight.of(context));
  }

  private static PolicyPack pack(String rules) throws Exception {
    return new PackReader(Set.of(), new Formats(Map.of()))
        .read(
            Calls.json(
                "{'id': 'acme.v1', 'requires_capabilities': ['a'], 'evaluation_rules': "
                    + rules
                    + "}"));
  }

  @Test
  void aVersionThatDoesNotCompileOrCannotBeJudgedIsCountedAsFailed() throws Exception {
    var kept = new KeptTrials();
    ShadowRun run = run(kept);
    run.start();
    run.offer(trial(Optional.empty(), JsonObject.EMPTY));
    // Its counters cannot be read.
    run.offer(
        trial(
            Optional.of(
                pack(
                    "[{'name': 'r', 'deny_code': 'oap.limit_exceeded', 'counters':"
                        + " [{'window': 'day', 'max': '5'}]}]")),
            JsonObject.EMPTY));
    run.offer(trial(Optional.of(pack("[]")), JsonObject.EMPTY));
    run.close();
    assertThat(kept.tally()).isEqualTo(new Tally(3, 0, 1, 0, 2, 0));
    assertThat(kept.finished).isTrue();
  }

  @Test
  void whatDoesNotFitIsCountedAsDropped() throws Exception {
    var kept = new KeptTrials();
    ShadowRun run = run(kept);
    Optional<PolicyPack> pack = Optional.of(pack("[]"));
    // Nobody takes anything yet.
    for (int i = 0; i < 5_010; i++) {
      run.offer(trial(pack, JsonObject.EMPTY));
    }
    run.start();
    run.close();
    assertThat(kept.tally()).isEqualTo(new Tally(5_000, 0, 5_000, 0, 0, 10));
  }

  @Test
  void largeContextsAreBoundedTogether() throws Exception {
    var kept = new KeptTrials();
    ShadowRun run = run(kept);
    JsonObject large =
        JsonObject.builder()
            .put("texts", JsonArray.ofStrings(List.of("x".repeat(3 << 20))))
            .build();
    for (int i = 0; i < 5; i++) {
      run.offer(trial(Optional.of(pack("[]")), large));
    }
    run.start();
    run.close();
    assertThat(kept.tally()).isEqualTo(new Tally(2, 0, 2, 0, 0, 3));
  }

  @Test
  void resultsWaitForAStoreThatIsAway() throws Exception {
    var kept = new KeptTrials();
    kept.refusals = 2;
    ShadowRun run = run(kept);
    run.start();
    run.offer(trial(Optional.of(pack("[]")), JsonObject.EMPTY));
    while (kept.tally().evaluated() == 0) {
      Thread.onSpinWait();
    }
    run.close();
    assertThat(kept.tally().wouldAllow()).isEqualTo(1);
  }
}
