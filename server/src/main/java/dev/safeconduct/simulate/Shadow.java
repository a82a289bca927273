package dev.safeconduct.simulate;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.UsageLookup;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Optional;

/** Evaluates the action of a decision again with the shadow version. */
final class Shadow {
  private final Evaluator evaluator;
  private final UsageLookup counters;

  Shadow(Evaluator evaluator, UsageLookup counters) {
    this.evaluator = evaluator;
    this.counters = counters;
  }

  /** What it would have decided; empty when it cannot be evaluated. Nothing is charged. */
  Optional<Outcome> evaluate(ShadowEvaluation trial) {
    return trial
        .tried()
        .pack()
        .flatMap(pack -> trial.input().by(pack, trial.sentContext()))
        .flatMap(
            input -> evaluator.settle(input, (keys, at) -> before(trial, keys, at), new Budget()))
        .filter(outcome -> !ReasonCode.POLICY_ERROR.is(outcome.reason().code()));
  }

  /**
   * The counters as they were before the decision. They are the active version's own and are read
   * after it has charged them, so what this very decision took is taken off again.
   */
  private Usage before(ShadowEvaluation trial, Collection<CounterKey> keys, Instant at) {
    Usage present = counters.totals(keys, at);
    var before = new HashMap<CounterKey, Long>();
    for (CounterKey key : keys) {
      before.put(key, present.total(key) - taken(trial, key));
    }
    return Usage.of(before);
  }

  private static long taken(ShadowEvaluation trial, CounterKey key) {
    return trial.decided() instanceof Outcome.Allow allow
        ? allow.charges().stream()
            .filter(charge -> charge.key().equals(key))
            .mapToLong(Charge::amount)
            .sum()
        : 0;
  }
}
