package dev.safeconduct.decision.data;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A source's reputation: a number the passport gives ({@code source_reputation} of its limits), one
 * the operator reports (the feed of that name), or both. There must be one, and all there are must
 * reach the least score asked for.
 */
final class SourceReputation {
  private static final String NAME = "source_reputation";

  private SourceReputation() {}

  static Verdict check(Facts facts) {
    return switch (facts.limits().number("min_source_reputation_score")) {
      case Reading.Absent<Double> _ -> Verdict.pass();
      case Reading.Malformed<Double> _ ->
          Verdict.fail("min_source_reputation_score is not a number of at least 0.");
      case Reading.Present<Double>(Double least) -> reaches(facts, least);
    };
  }

  private static Verdict reaches(Facts facts, double least) {
    String source = facts.context().string("data_source_id").orElse("");
    JsonObject own = facts.limits().get(NAME) instanceof JsonObject byId ? byId : JsonObject.EMPTY;
    var known =
        Stream.of(own, facts.feeds().named(NAME))
            .map(scores -> scores.present(source))
            .filter(Objects::nonNull)
            .toList();
    if (known.isEmpty()) {
      return Verdict.fail("The reputation of the source " + Excerpt.of(source) + " is unknown.");
    }
    for (JsonValue score : known) {
      if (!(score instanceof JsonNumber number) || !(number.value() >= least)) {
        return Verdict.fail(
            "The reputation of the source "
                + Excerpt.of(source)
                + " is below min_source_reputation_score.");
      }
    }
    return Verdict.pass();
  }
}
