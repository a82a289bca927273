package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import dev.safeconduct.text.TextSearch;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Requirements for a finished task besides its criteria. */
final class TaskRules {
  private static final int MOST_PATTERNS = 100;

  private TaskRules() {}

  static RuleResult summary(Facts facts) {
    if (!facts.limits().demands("require_summary")) {
      return RuleResult.pass();
    }
    double least;
    switch (facts.limits().number("min_summary_words")) {
      case Reading.Absent<Double> _ -> least = 1;
      case Reading.Malformed<Double> _ -> {
        return RuleResult.fail("min_summary_words is no number of at least 0.");
      }
      case Reading.Present<Double>(Double number) -> least = Math.max(1, number);
    }
    int words = words(facts.context().text("summary"));
    return words >= least
        ? RuleResult.pass()
        : RuleResult.fail(
            "The summary has " + words + " words; " + (long) Math.ceil(least) + " are required.");
  }

  /** Counts the words between white space. An invisible text is not a word. */
  static int words(String text) {
    int words = 0;
    boolean within = false;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (Folding.isWhiteSpace(c)) {
        within = false;
      } else if (!within && !Folding.isIgnorable(c)) {
        within = true;
        words++;
      }
    }
    return words;
  }

  static RuleResult tests(Facts facts) {
    return !facts.limits().demands("require_tests_passing")
            || facts.context().isTrue("tests_passing")
        ? RuleResult.pass()
        : RuleResult.fail("The tests must pass: tests_passing must be true.");
  }

  /** Author and reviewer are both present and different, independent of spelling. */
  static RuleResult reviewer(Facts facts) {
    if (!facts.limits().demands("require_different_reviewer")) {
      return RuleResult.pass();
    }
    String reviewer = Folding.fold(facts.context().text("reviewer_agent_id"));
    String author = Folding.fold(facts.context().text("author_agent_id"));
    if (reviewer.isEmpty() || author.isEmpty()) {
      return RuleResult.fail("reviewer_agent_id and author_agent_id are both required.");
    }
    return reviewer.equals(author)
        ? RuleResult.fail("The author must not be the reviewer.")
        : RuleResult.pass();
  }

  static RuleResult patterns(Facts facts) {
    String content = facts.context().text("output_content");
    if (content.isEmpty() || !facts.limits().demands("scan_output")) {
      return RuleResult.pass();
    }
    return switch (facts.limits().list("blocked_patterns")) {
      case Reading.Absent<List<String>> _ -> RuleResult.pass();
      case Reading.Malformed<List<String>> _ -> RuleResult.fail("blocked_patterns is not a list.");
      case Reading.Present<List<String>>(List<String> patterns) -> {
        List<String> folded =
            patterns.stream()
                .limit(MOST_PATTERNS)
                .map(Folding::fold)
                .filter(pattern -> !pattern.isEmpty())
                .toList();
        yield TextSearch.anyOf(folded, Folding.fold(content))
            .map(pattern -> RuleResult.fail("The output holds " + Excerpt.of(pattern) + "."))
            .orElse(RuleResult.pass());
      }
    };
  }

  /** Every criterion of the passport has an attestation. */
  static RuleResult complete(Facts facts) {
    JsonValue limit = facts.limits().get("acceptance_criteria");
    if (limit == null) {
      return RuleResult.pass();
    }
    if (!(limit instanceof JsonArray criteria)) {
      return RuleResult.fail("acceptance_criteria is not a list.");
    }
    Set<String> attested = new HashSet<>();
    for (JsonObject attestation : given(facts)) {
      attestation.string("criterion_id").ifPresent(attested::add);
    }
    for (JsonValue criterion : criteria) {
      Optional<String> id =
          criterion instanceof JsonObject object ? object.string("id") : Optional.empty();
      if (id.isEmpty()) {
        return RuleResult.fail("acceptance_criteria holds something without an id.");
      }
      if (!attested.contains(id.get())) {
        return RuleResult.fail("The criterion " + Excerpt.of(id.get()) + " is not attested.");
      }
    }
    return RuleResult.pass();
  }

  /** Every attestation has evidence with more than white space. */
  static RuleResult evidence(Facts facts) {
    for (JsonObject attestation : given(facts)) {
      if (Folding.isInvisible(attestation.text("evidence"))) {
        return RuleResult.fail("There is no evidence for " + criterion(attestation) + ".");
      }
    }
    return RuleResult.pass();
  }

  /** Every attestation is exactly true; "true" and 1 are not true. */
  static RuleResult met(Facts facts) {
    for (JsonObject attestation : given(facts)) {
      if (!attestation.isTrue("met")) {
        return RuleResult.fail(criterion(attestation) + " is not met.");
      }
    }
    return RuleResult.pass();
  }

  private static List<JsonObject> given(Facts facts) {
    return facts.context().list("criteria_attestations").elements().stream()
        .filter(JsonObject.class::isInstance)
        .map(JsonObject.class::cast)
        .toList();
  }

  private static String criterion(JsonObject attestation) {
    return "the criterion " + Excerpt.of(attestation.text("criterion_id"));
  }
}
