package dev.safeconduct.simulate;

import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.verify.EvaluationInput;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.TemplateChain;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Evaluates actions under one pack as the service does, with counters that are kept in memory and
 * charged as the service would charge them.
 */
public final class CaseEvaluator {
  private final PolicyPack pack;
  private final Evaluator evaluator;

  /** Each counter's amounts by when they stop counting. */
  private final Map<CounterKey, TreeMap<Long, Long>> counters = new HashMap<>();

  public CaseEvaluator(PolicyPack pack, Evaluator evaluator) {
    this.pack = pack;
    this.evaluator = evaluator;
  }

  /**
   * An agent's request.
   *
   * @param templates what the passport was made from, if it is an instance
   * @param context the sent context, before dialects
   * @param contextFault the reason why it cannot be evaluated, if there is one
   */
  public record Question(
      JudgedPassport passport,
      TemplateChain templates,
      JsonObject context,
      Optional<String> contextFault,
      Instant at) {}

  /** The steps that one request may take; its evaluations share them. */
  public static final class StepLimit {
    private final Budget budget = new Budget();

    public boolean isUsedUp() {
      return budget.spent() >= Budget.MOST_REQUEST_STEPS;
    }
  }

  /** The outcome by the counters as they are; charges nothing yet. */
  public Outcome evaluate(Question question, StepLimit limit) {
    return evaluator
        .settle(
            EvaluationInput.simulated(
                pack,
                question.passport(),
                question.templates(),
                question.context(),
                question.contextFault(),
                question.at()),
            this::totals,
            limit.budget)
        .orElseThrow(() -> new IllegalStateException("the pack's counters never settle"));
  }

  /** Takes what the outcome charges. */
  public void charge(Outcome outcome) {
    if (outcome instanceof Outcome.Allow allow) {
      for (Charge charge : allow.charges()) {
        counters
            .computeIfAbsent(charge.key(), _ -> new TreeMap<>())
            .merge(charge.expiresAtMs(), charge.amount(), Long::sum);
      }
    }
  }

  /** Removes the charges that have expired by then. */
  public void forget(Instant by) {
    counters
        .values()
        .removeIf(amounts -> {
          amounts.headMap(by.toEpochMilli(), true).clear();
          return amounts.isEmpty();
        });
  }

  private Usage totals(Collection<CounterKey> keys, Instant at) {
    var totals = new HashMap<CounterKey, Long>();
    for (CounterKey key : keys) {
      totals.put(key, total(key, at));
    }
    return Usage.of(totals);
  }

  private long total(CounterKey key, Instant at) {
    TreeMap<Long, Long> amounts = counters.get(key);
    return amounts == null
        ? 0
        : amounts.tailMap(at.toEpochMilli(), false).values().stream()
            .mapToLong(Long::longValue)
            .sum();
  }
}
