package dev.safeconduct.console;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.simulate.CaseEvaluator;
import dev.safeconduct.simulate.RecordedContext;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.TemplateChain;
import dev.safeconduct.verify.TemplateChains;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds an agent's decisions of the last day that would differ under a changed passport. Each
 * decision is evaluated again as it was recorded. Counters begin empty, and each allow under the
 * changed passport charges them. For an instance its current templates are evaluated too. A
 * decision that cannot be evaluated is counted as unknown.
 */
public final class Preview {
  private static final int PAGE = 200;
  private static final int MOST_PAGES = 5;
  private static final int SHOWN = 50;

  private final PolicyCatalog catalog;
  private final PolicyDecisionPoint decisionPoint;
  private final TemplateChains templates;
  private final DecisionWords words;

  Preview(
      PolicyCatalog catalog,
      PolicyDecisionPoint decisionPoint,
      TemplateChains templates,
      DecisionWords words) {
    this.catalog = catalog;
    this.decisionPoint = decisionPoint;
    this.templates = templates;
    this.words = words;
  }

  /** The words for decisions. */
  DecisionWords words() {
    return words;
  }

  /** The differences; {@code console/preview.jte}. */
  public record View(String lead, List<Change> changes, String note) {}

  /** A decision that would differ. */
  public record Change(DecisionWords.Line line, boolean allow, String why) {}

  View of(OpenPage page, JsonObject candidate) {
    String agent = candidate.text("agent_id");
    Instant from = page.now().minus(Duration.ofDays(1));
    List<JsonObject> records = records(page, agent, from);
    boolean more = records.size() == PAGE * MOST_PAGES;
    Collections.reverse(records);
    var run = new Run(JudgedPassport.of(candidate), chain(agent));
    var changes = new ArrayList<Change>();
    int unknown = 0;
    int evaluated = 0;
    int left = 0;
    var limit = new CaseEvaluator.StepLimit();
    for (JsonObject record : records) {
      Optional<Decision> decision = DecisionJson.read(record.child("body"));
      if (decision.filter(read -> read.validity().dryRun()).isPresent()) {
        continue;
      }
      Optional<Outcome> outcome =
          decision
              .filter(_ -> !limit.isUsedUp())
              .flatMap(read -> run.evaluate(read, record, limit));
      if (limit.isUsedUp()) {
        left++;
        continue;
      }
      if (outcome.isEmpty()) {
        unknown++;
        continue;
      }
      evaluated++;
      boolean allow = outcome.get().isAllow();
      if (allow != decision.get().allowedByPolicy()) {
        changes.add(
            new Change(words.line(record, page.now()), allow, outcome.get().reason().message()));
      }
    }
    return new View(
        lead(evaluated, changes),
        changes.reversed().subList(0, Math.min(SHOWN, changes.size())),
        note(unknown, left, more));
  }

  private static String lead(int evaluated, List<Change> changes) {
    if (evaluated == 0) {
      return "This agent has no decisions in the last 24 hours that can be replayed.";
    }
    if (changes.isEmpty()) {
      return "None of the "
          + Formats.count(evaluated)
          + " decisions of the last 24 hours would change.";
    }
    long allows = changes.stream().filter(Change::allow).count();
    return "%s of %s of the last 24 hours would change: %s would be allowed, %s denied."
        .formatted(
            Formats.count(changes.size()),
            Formats.count(evaluated, "decision", "decisions"),
            Formats.count(allows),
            Formats.count(changes.size() - allows));
  }

  private static String note(int unknown, int left, boolean more) {
    return (unknown == 0
            ? ""
            : Formats.count(unknown)
                + " more cannot be replayed: the policy reads something in them that is not stored, such as a"
                + " secret, or it has changed since. ")
        + (left == 0
            ? ""
            : Formats.count(left)
                + " more were not replayed, because the policies need too much time for them. ")
        + (more ? "Only the newest " + PAGE * MOST_PAGES + " were replayed." : "");
  }

  private static List<JsonObject> records(OpenPage page, String agent, Instant from) {
    var records = new ArrayList<JsonObject>();
    String target =
        "/api/audit?kind=decision&limit=%s&agent_id=%s&from=%s"
            .formatted(PAGE, Formats.url(agent), Formats.url(IsoInstant.millis(from)));
    Optional<String> cursor = Optional.of("");
    for (int i = 0; i < MOST_PAGES && cursor.isPresent(); i++) {
      JsonObject answer =
          page.get(target + (cursor.get().isEmpty() ? "" : "&cursor=" + Formats.url(cursor.get())));
      records.addAll(answer.objects("records"));
      cursor = answer.string("next_cursor");
    }
    return records;
  }

  private TemplateChain chain(String agent) {
    return AgentId.hosted(agent).map(templates::of).orElse(TemplateChain.NONE);
  }

  /** The decisions evaluated again, one after the other. */
  private final class Run {
    private final JudgedPassport passport;
    private final TemplateChain chain;
    private final Map<String, CaseEvaluator> evaluators = new HashMap<>();

    private Run(JudgedPassport passport, TemplateChain chain) {
      this.passport = passport;
      this.chain = chain;
    }

    /** Empty when the record or the policy is not the one that decided. */
    private Optional<Outcome> evaluate(
        Decision decision, JsonObject record, CaseEvaluator.StepLimit limit) {
      JsonObject context = record.child("details").child("context");
      Optional<PolicyPack> pack =
          catalog
              .find(decision.policy().id())
              .filter(known -> known.digest().equals(decision.policy().digest()));
      if (pack.isEmpty()) {
        return Optional.empty();
      }
      RecordedContext recorded = RecordedContext.of(context, decision, pack.get());
      if (recorded.missing().isPresent()) {
        return Optional.empty();
      }
      CaseEvaluator evaluator =
          evaluators.computeIfAbsent(
              pack.get().id().value(),
              _ -> new CaseEvaluator(pack.get(), new Evaluator(decisionPoint, () -> Feeds.NONE)));
      Outcome outcome =
          evaluator.evaluate(
              new CaseEvaluator.Question(
                  passport,
                  chain,
                  recorded.context(),
                  Optional.empty(),
                  decision.validity().issuedAt()),
              limit);
      evaluator.charge(outcome);
      return Optional.of(outcome);
    }
  }
}
