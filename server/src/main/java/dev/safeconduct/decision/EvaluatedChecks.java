package dev.safeconduct.decision;

import java.util.List;
import java.util.Optional;

/**
 * The checks that were evaluated for one passport, in their order.
 *
 * @param template the agent id of the evaluated template; empty for the acting agent itself
 * @param passed the checks that passed
 * @param rules the names of the pack's rules that were evaluated when {@link CheckOrder#RULES}
 *     failed, the last of which denied; empty otherwise, because then all rules or no rules were
 *     evaluated
 * @param failed the check that denied
 */
public record EvaluatedChecks(
    Optional<String> template,
    List<CheckOrder> passed,
    List<String> rules,
    Optional<CheckOrder> failed) {
  public EvaluatedChecks {
    passed = List.copyOf(passed);
    rules = List.copyOf(rules);
  }

  /** Returns the same checks marked as checks of a template. */
  EvaluatedChecks of(String agentId) {
    return new EvaluatedChecks(Optional.of(agentId), passed, rules, failed);
  }
}
