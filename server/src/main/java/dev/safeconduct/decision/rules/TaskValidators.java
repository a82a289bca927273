package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Validator;
import java.util.Map;

/** The named validators of deliverable.task.complete.v1. */
public final class TaskValidators {
  private static final Map<String, Validator> ALL =
      Map.of(
          "validateDeliverableCriteriaAttested", Attestations::complete,
          "validateDeliverableCriteriaEvidence", Attestations::evidence,
          "validateDeliverableCriteriaMet", Attestations::met,
          "validateDeliverableSummaryWords", TaskRules::summary,
          "validateDeliverableTestsPassing", TaskRules::tests,
          "validateDeliverableReviewer", TaskRules::reviewer,
          "validateDeliverableBlockedPatterns", TaskRules::patterns);

  private TaskValidators() {}

  /** Validators by the name a pack's rule gives. */
  public static Map<String, Validator> all() {
    return ALL;
  }
}
