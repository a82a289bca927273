package dev.safeconduct.simulate;

import dev.safeconduct.decision.Check;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * The rule coverage of test cases. A rule is covered if one case passed it and another case was
 * denied by it.
 */
public final class Coverage {
  private final List<String> rules;
  private final Map<String, Integer> passed = new HashMap<>();
  private final Map<String, Integer> denied = new HashMap<>();

  public Coverage(PolicyPack pack) {
    this.rules = pack.rules().stream().map(Rule::name).toList();
  }

  /** Counts what the run has shown. */
  public void add(CaseRun run) {
    var past = new HashSet<String>();
    var by = new HashSet<String>();
    for (CaseRun.StepRun step : run.steps()) {
      for (Check check : step.outcome().trace()) {
        if (rules.contains(check.name())) {
          (check.passed() ? past : by).add(check.name());
        }
      }
    }
    past.forEach(rule -> passed.merge(rule, 1, Integer::sum));
    by.forEach(rule -> denied.merge(rule, 1, Integer::sum));
  }

  /** How many cases got past the rule. */
  public int passed(String rule) {
    return passed.getOrDefault(rule, 0);
  }

  /** How many cases the rule has denied. */
  public int denied(String rule) {
    return denied.getOrDefault(rule, 0);
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
      boolean past = passed(rule) > 0;
      boolean by = denied(rule) > 0;
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
