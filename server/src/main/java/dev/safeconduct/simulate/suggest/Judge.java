package dev.safeconduct.simulate.suggest;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.CounterPrecondition;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.simulate.MemoryCounters;
import dev.safeconduct.verify.EvaluationInput;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.JudgedPack;
import dev.safeconduct.verify.Subject;
import dev.safeconduct.verify.TemplateChain;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Evaluates recorded actions for one version of a passport, as if it were active and a person had
 * approved them: neither is a matter of capabilities and limits.
 */
final class Judge {
  private final Evaluator evaluator;
  private final MemoryCounters counters;
  private final Subject subject;

  /** The counters that the last action by each pack read. */
  private final Map<String, Set<CounterKey>> counted = new HashMap<>();

  /**
   * Creates a judge.
   *
   * @param counters which several judges may share
   * @param document the version of the passport
   */
  Judge(Evaluator evaluator, MemoryCounters counters, Passport passport, JsonObject document) {
    this.evaluator = evaluator;
    this.counters = counters;
    JsonObject active =
        document
            .with(JudgedPassport.STATUS, "active")
            .with(JudgedPassport.NEVER_EXPIRES, JsonBoolean.TRUE);
    subject =
        new Subject(
            passport.owner(),
            passport.agentId().value(),
            Decision.Source.REGISTRY,
            JudgedPassport.of(active),
            CanonicalJson.digest(active),
            TemplateChain.NONE,
            List.of(),
            Optional.empty());
  }

  Outcome outcome(Evidence.Item.Known item, boolean explain) {
    var input =
        new EvaluationInput(
            new JudgedPack(
                item.pack(),
                Decision.Source.REGISTRY,
                List.of(),
                Optional.empty(),
                Optional.empty()),
            subject,
            item.context(),
            Optional.empty(),
            item.at(),
            explain,
            true,
            EvaluationInput.Controls.NONE);
    // Most actions by a pack read the same counters, so that the first evaluation has their totals.
    Set<CounterKey> expected = counted.getOrDefault(item.pack().id().value(), Set.of());
    Usage usage = expected.isEmpty() ? Usage.NONE : counters.totals(expected, item.at());
    Outcome outcome = evaluator.evaluate(input, usage, new Budget());
    if (outcome.conditions().isEmpty()) {
      return outcome;
    }
    Set<CounterKey> read =
        outcome.conditions().stream()
            .map(CounterPrecondition::key)
            .collect(Collectors.toUnmodifiableSet());
    counted.put(item.pack().id().value(), read);
    return expected.containsAll(read)
        ? outcome
        : evaluator
            .settle(input, counters, new Budget())
            .orElseThrow(() -> new IllegalStateException("the pack's counters never settle"));
  }
}
