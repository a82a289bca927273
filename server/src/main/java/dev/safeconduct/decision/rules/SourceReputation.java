package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The reputation of a data source. The score comes from the passport's limit {@code
 * source_reputation}, from the operator's feed of that name, or from both. At least one score must
 * be present, and every score must reach the required minimum.
 */
final class SourceReputation {
  private static final String NAME = "source_reputation";

  private SourceReputation() {}

  static RuleResult check(Facts facts) {
    return switch (facts.limits().number("min_source_reputation_score")) {
      case Reading.Absent<Double> _ -> RuleResult.pass();
      case Reading.Malformed<Double> _ ->
          RuleResult.fail("min_source_reputation_score is not a number of at least 0.");
      case Reading.Present<Double>(Double least) -> reaches(facts, least);
    };
  }

  private static RuleResult reaches(Facts facts, double least) {
    String source = facts.context().string("data_source_id").orElse("");
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
