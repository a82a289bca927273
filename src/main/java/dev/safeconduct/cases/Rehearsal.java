package dev.safeconduct.cases;

import dev.safeconduct.compat.Dialects;
import dev.safeconduct.decision.DecisionRequest;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.facts.Feeds;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.usage.Charge;
import dev.safeconduct.usage.Condition;
import dev.safeconduct.usage.CounterKey;
import dev.safeconduct.usage.Usage;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One agent under one pack, with counters that are kept in memory and charged as the service would
 * charge them.
 */
public final class Rehearsal {
  private static final int MOST_ROUNDS = 32;

  private final PolicyPack pack;
  private final PolicyDecisionPoint decisionPoint;

  /** Each counter's amounts by when they stop counting. */
  private final Map<CounterKey, TreeMap<Long, Long>> counters = new HashMap<>();

  public Rehearsal(PolicyPack pack, PolicyDecisionPoint decisionPoint) {
    this.pack = pack;
    this.decisionPoint = decisionPoint;
  }

  /**
   * What an agent asks.
   *
   * @param context as it came in, before dialects
   */
  public record Question(
      JsonObject passport, boolean templateActive, JsonObject context, Feeds feeds, Instant at) {}

  /** Judges as the service does, first by empty counters; charges nothing yet. */
  public Outcome judge(Question question) {
    Dialects.Lifted lifted =
        Dialects.lift(question.context(), name -> pack.contextSchema().declares(name));
    String agent =
        question
            .passport()
            .string("agent_id")
            .or(() -> question.passport().string("passport_id"))
            .orElse("agent");
    Usage usage = Usage.NONE;
    Outcome outcome = null;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      outcome =
          decisionPoint.decide(
              new DecisionRequest(
                  pack,
                  question.passport(),
                  question.templateActive(),
                  lifted.context(),
                  lifted.fault(),
                  usage,
                  List.of("rehearsal", agent, pack.id().value()),
                  question.feeds(),
                  question.at(),
                  true));
      var moved = new HashMap<CounterKey, Long>();
      for (Condition condition : outcome.conditions()) {
        long total = total(condition.key(), question.at());
        if (total > condition.atMost()) {
          moved.put(condition.key(), total);
        }
      }
      if (moved.isEmpty()) {
        return outcome;
      }
      usage = usage.with(moved);
    }
    throw new IllegalStateException("the pack's counters never settle");
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

  /** Forgets what had stopped counting by then. */
  public void forget(Instant by) {
    counters
        .values()
        .removeIf(amounts -> {
          amounts.headMap(by.toEpochMilli(), true).clear();
          return amounts.isEmpty();
        });
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
