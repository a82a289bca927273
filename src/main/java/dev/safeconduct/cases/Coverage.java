package dev.safeconduct.cases;

import dev.safeconduct.decision.Check;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which rules of a pack the cases have seen at work. A rule is covered once a case got past it and
 * another was denied by it.
 */
public final class Coverage {
  private final List<String> rules;
  private final Set<String> passed = new HashSet<>();
  private final Set<String> denied = new HashSet<>();

  public Coverage(PolicyPack pack) {
    this.rules = pack.rules().stream().map(Rule::name).toList();
  }

  /** Counts what the run has shown. */
  public void add(CaseRun run) {
    for (CaseRun.StepRun step : run.steps()) {
      for (Check check : step.outcome().trace()) {
        if (rules.contains(check.name())) {
          (check.passed() ? passed : denied).add(check.name());
        }
      }
    }
  }

  /** How many rules there are. */
  public int rules() {
    return rules.size();
  }

  /** How many of them are covered. */
  public int covered() {
    return rules.size() - missing().size();
  }

  /** Covered rules of a hundred; a pack without rules is covered. */
  public double percent() {
    return rules.isEmpty() ? 100 : 100.0 * covered() / rules.size();
  }

  /** What is missing, a line for each rule that is not covered. */
  public List<String> missing() {
    var missing = new ArrayList<String>();
    for (String rule : rules) {
      boolean past = passed.contains(rule);
      boolean by = denied.contains(rule);
      if (!past || !by) {
        missing.add(
            rule
                + ": "
                + (past
                    ? "no case is denied by it"
                    : by ? "no case gets past it" : "no case reaches it"));
      }
    }
    return missing;
  }
}
