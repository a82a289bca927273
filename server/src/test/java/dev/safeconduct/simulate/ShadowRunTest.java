package dev.safeconduct.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.PackCache;
import dev.safeconduct.policy.lint.PackLint;
import dev.safeconduct.policy.schema.StringFormats;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.verify.DecisionListener;
import dev.safeconduct.verify.EvaluatedContext;
import dev.safeconduct.verify.EvaluationInput;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.JudgedPack;
import dev.safeconduct.verify.Subject;
import dev.safeconduct.verify.TemplateChain;
import dev.safeconduct.verify.UsageLookup;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong in a trial is counted, and nothing of it reaches whoever offered it. */
final class ShadowRunTest {
  private static final OrgId ORG = new OrgId("org_1");

  private static final ShadowResults.Subject SUBJECT = new ShadowResults.Subject(ORG, "acme.v1", 2);

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // set before each test
  private Storage store;

  @BeforeEach
  void open() {
    store = Storage.open(StoreConfig.sqlite(folder.resolve("store")));
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** One whose counters cannot be read. */
  private ShadowRun run() {
    Storage closed = Storage.open(StoreConfig.sqlite(folder.resolve("closed")));
    closed.close();
    return new ShadowRun(
        "node_1",
        new Evaluator(new PolicyDecisionPoint(Map.of(), _ -> {}), () -> Feeds.NONE),
        UsageLookup.of(new Ledger(closed)),
        new ShadowResults(store),
        _ -> UnaryOperator.identity());
  }

  private ShadowResults.ShadowCounts tally() {
    return new ShadowResults(store).found(SUBJECT, Instant.EPOCH).tally();
  }

  /** A deny that was recorded while a version was tried. */
  private static DecisionListener.Recorded decision(Optional<PolicyPack> tried, JsonObject context)
      throws Exception {
    return decision(
        tried,
        context,
        JudgedPassport.of(Calls.json("{'status': 'active', 'capabilities': ['a']}")));
  }

  private static DecisionListener.Recorded decision(
      Optional<PolicyPack> tried, JsonObject context, JudgedPassport passport) throws Exception {
    PolicyPack active = pack("[]");
    return new DecisionListener.Recorded(
        new UUID(1, 2),
        new EvaluationInput(
            new JudgedPack(
                active,
                Decision.Source.REGISTRY,
                List.of(),
                Optional.of(ORG),
                Optional.of(new PackCache.ShadowVersion(2, "sha256:tried", tried))),
            new Subject(
                ORG,
                "ap_1",
                Decision.Source.REGISTRY,
                passport,
                "sha256:passport",
                TemplateChain.NONE,
                List.of(),
                Optional.empty()),
            EvaluatedContext.of(active, context),
            Optional.empty(),
            Instant.EPOCH,
            false,
            false,
            EvaluationInput.Controls.NONE),
        Outcome.Deny.unchecked(Reason.of(ReasonCode.LIMIT_EXCEEDED, "too much"), List.of()),
        context,
        false);
  }

  private static PolicyPack pack(String rules) throws Exception {
    return new PackReader(Set.of(), new StringFormats(Map.of()), PackLint::check)
        .read(
            Calls.json(
                "{'id': 'acme.v1', 'requires_capabilities': ['a'], 'evaluation_rules': "
                    + rules
                    + "}"));
  }

  @Test
  void aVersionThatDoesNotCompileOrCannotBeJudgedIsCountedAsFailed() throws Exception {
    ShadowRun run = run();
    run.start();
    run.recorded(decision(Optional.empty(), JsonObject.EMPTY));
    // Its counters cannot be read.
    run.recorded(
        decision(
            Optional.of(
                pack(
                    "[{'name': 'r', 'deny_code': 'oap.limit_exceeded', 'counters':"
                        + " [{'window': 'day', 'max': '5'}]}]")),
            JsonObject.EMPTY));
    run.recorded(decision(Optional.of(pack("[]")), JsonObject.EMPTY));
    run.close();
    assertThat(tally()).isEqualTo(new ShadowResults.ShadowCounts(3, 0, 1, 0, 2, 0));
    assertThat(new ShadowResults(store).found(SUBJECT, Instant.EPOCH).interruptedNodes()).isZero();
  }

  @Test
  void whatDoesNotFitIsCountedAsDropped() throws Exception {
    ShadowRun run = run();
    Optional<PolicyPack> pack = Optional.of(pack("[]"));
    // Nobody takes anything yet.
    for (int i = 0; i < 5_010; i++) {
      run.recorded(decision(pack, JsonObject.EMPTY));
    }
    run.start();
    var all = new ShadowResults.ShadowCounts(5_000, 0, 5_000, 0, 0, 10);
    // A close waits half a second for what is left, which is short on a busy machine.
    for (int i = 0; i < 100_000 && !tally().equals(all); i++) {
      Thread.onSpinWait();
    }
    run.close();
    assertThat(tally()).isEqualTo(all);
  }

  @Test
  void largePassportsAreBoundedTogether() throws Exception {
    ShadowRun run = run();
    JsonObject document = Calls.json("{'status': 'active', 'capabilities': ['a']}");
    JudgedPassport large = JudgedPassport.of(document, () -> document, () -> document, 3 << 20);
    for (int i = 0; i < 5; i++) {
      run.recorded(decision(Optional.of(pack("[]")), JsonObject.EMPTY, large));
    }
    run.start();
    run.close();
    assertThat(tally()).isEqualTo(new ShadowResults.ShadowCounts(2, 0, 2, 0, 0, 3));
  }

  @Test
  void largeContextsAreBoundedTogether() throws Exception {
    ShadowRun run = run();
    JsonObject large =
        JsonObject.builder()
            .put("texts", JsonArray.ofStrings(List.of("x".repeat(3 << 20))))
            .build();
    for (int i = 0; i < 5; i++) {
      run.recorded(decision(Optional.of(pack("[]")), large));
    }
    run.start();
    run.close();
    assertThat(tally()).isEqualTo(new ShadowResults.ShadowCounts(2, 0, 2, 0, 0, 3));
  }

  @Test
  void resultsWaitForAStoreThatIsAway() throws Exception {
    String refusing =
        "CREATE TRIGGER away BEFORE INSERT ON shadow_tally BEGIN SELECT RAISE(ABORT, 'away'); END";
    store.update(Sql.of(refusing));
    ShadowRun run = run();
    long before = store.batches();
    run.start();
    run.recorded(decision(Optional.of(pack("[]")), JsonObject.EMPTY));
    while (store.batches() < before + 2) {
      Thread.onSpinWait(); // until it was refused twice
    }
    store.update(Sql.of("DROP TRIGGER away"));
    while (tally().evaluated() == 0) {
      Thread.onSpinWait();
    }
    run.close();
    assertThat(tally().wouldAllow()).isEqualTo(1);
  }
}
