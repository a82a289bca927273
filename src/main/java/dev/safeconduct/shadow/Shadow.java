package dev.safeconduct.shadow;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.usage.Charge;
import dev.safeconduct.usage.Condition;
import dev.safeconduct.usage.CounterKey;
import dev.safeconduct.usage.Ledger;
import dev.safeconduct.usage.Usage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Judges one decision again by the version that is tried. */
final class Shadow {
  private static final int MOST_ROUNDS = 8;

  private final Ledger ledger;

  Shadow(Ledger ledger) {
    this.ledger = ledger;
  }

  /** What it would have decided; empty when it cannot judge. Nothing is charged. */
  Optional<Outcome> judge(Trial trial) {
    if (trial.pack().isEmpty()) {
      return Optional.empty();
    }
    Usage usage = Usage.NONE;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      Outcome outcome = trial.question().judgedBy(trial.pack().get(), usage);
      Map<CounterKey, Long> moved = moved(trial, outcome.conditions());
      if (moved.isEmpty()) {
        return outcome.reason().code().equals(Reason.POLICY_ERROR)
            ? Optional.empty()
            : Optional.of(outcome);
      }
      usage = usage.with(moved);
    }
    return Optional.empty();
  }

  /**
   * Counters above what the judgement took for granted. The counters are the active version's own
   * and are read after it has charged them, so what this very decision took is taken off again.
   */
  private Map<CounterKey, Long> moved(Trial trial, List<Condition> conditions) {
    var keys = conditions.stream().map(Condition::key).distinct().toList();
    if (keys.isEmpty()) {
      return Map.of();
    }
    Usage present = ledger.totals(keys, trial.at().toEpochMilli());
    var moved = new HashMap<CounterKey, Long>();
    for (Condition condition : conditions) {
      long before = present.total(condition.key()) - taken(trial, condition.key());
      if (before > condition.atMost()) {
        moved.put(condition.key(), before);
      }
    }
    return moved;
  }

  private static long taken(Trial trial, CounterKey key) {
    return trial.decided() instanceof Outcome.Allow allow
        ? allow.charges().stream()
            .filter(charge -> charge.key().equals(key))
            .mapToLong(Charge::amount)
            .sum()
        : 0;
  }
}
