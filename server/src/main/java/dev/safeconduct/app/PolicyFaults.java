package dev.safeconduct.app;

import dev.safeconduct.decision.OverBudget;
import dev.safeconduct.telemetry.Metrics;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the operator of evaluations that ended in {@code oap.policy_error}. */
final class PolicyFaults implements Consumer<Throwable> {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyFaults.class);

  /** Callers may send packs, whose names could fill the log. */
  private static final int MOST_LOGGED = 1_000;

  private final LongAdder overBudget = new LongAdder();
  private final Set<String> logged = ConcurrentHashMap.newKeySet();

  PolicyFaults(Metrics metrics) {
    metrics.growing(
        "safeconduct_policy_over_budget",
        "Checks that needed more steps or time than they may use, and denied",
        overBudget::sum);
  }

  @Override
  public void accept(Throwable fault) {
    if (!(fault instanceof OverBudget over)) {
      LOG.error("A policy could not be evaluated.", fault);
      return;
    }
    overBudget.increment();
    if (logged.size() < MOST_LOGGED && logged.add(over.check())) {
      LOG.warn(
          "A check took too much and denied: {}. It is logged once for each pack and rule.",
          over.getMessage());
    }
  }
}
