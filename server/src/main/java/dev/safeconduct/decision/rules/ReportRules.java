package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** The rules of data.report.ingest.v1 that no expression states. */
final class ReportRules {
  private static final String NAME = "source_reputation";

  private ReportRules() {}

  /** Every required check is present. Additional checks are allowed. */
  static RuleResult checks(Facts facts) {
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

  /**
   * The reputation of a data source. The score comes from the passport's limit {@code
   * source_reputation}, from the operator's feed of that name, or from both. At least one score
   * must be present, and every score must reach the required minimum.
   */
  static RuleResult reputation(Facts facts) {
    return switch (facts.limits().number("min_source_reputation_score")) {
      case Reading.Absent<Double> _ -> RuleResult.pass();
      case Reading.Malformed<Double> _ ->
          RuleResult.fail("min_source_reputation_score is not a number of at least 0.");
      case Reading.Present<Double>(Double least) -> reaches(facts, least);
    };
  }

  private static RuleResult reaches(Facts facts, double least) {
    String source = facts.context().text("data_source_id");
    JsonObject own = facts.limits().get(NAME) instanceof JsonObject byId ? byId : JsonObject.EMPTY;
    var known =
        Stream.of(own, facts.feeds().named(NAME))
            .map(scores -> scores.present(source))
            .filter(Objects::nonNull)
            .toList();
    if (known.isEmpty()) {
      return RuleResult.fail("The reputation of the source " + Excerpt.of(source) + " is unknown.");
    }
    for (JsonValue score : known) {
      if (!(score instanceof JsonNumber number) || !(number.value() >= least)) {
        return RuleResult.fail(
            "The reputation of the source "
                + Excerpt.of(source)
                + " is below min_source_reputation_score.");
      }
    }
    return RuleResult.pass();
  }
}
