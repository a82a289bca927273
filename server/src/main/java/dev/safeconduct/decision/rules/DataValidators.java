package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.decision.Validator;
import dev.safeconduct.text.Excerpt;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The named validators of data.report.ingest.v1. */
public final class DataValidators {
  private static final Map<String, Validator> ALL =
      Map.of(
          "validateReportChecks", DataValidators::checks,
          "validateSourceReputation", SourceReputation::check);

  private DataValidators() {}

  /** Validators by the name a pack's rule gives. */
  public static Map<String, Validator> all() {
    return ALL;
  }

  /** Every required check is present. Additional checks are allowed. */
  private static RuleResult checks(Facts facts) {
    return switch (facts.limits().list("required_validation_checks")) {
      case Reading.Absent<List<String>> _ -> RuleResult.pass();
      case Reading.Malformed<List<String>> _ ->
          RuleResult.fail("required_validation_checks is not a list.");
      case Reading.Present<List<String>>(List<String> required) -> {
        Set<String> made = new HashSet<>();
        facts
            .context()
            .array("validation_checks")
            .ifPresent(given -> given.strings().forEach(made::add));
        yield required.stream()
            .filter(check -> !made.contains(check))
            .findFirst()
            .map(check -> RuleResult.fail("The check " + Excerpt.of(check) + " was not made."))
            .orElse(RuleResult.pass());
      }
    };
  }
}
