package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import dev.safeconduct.text.TextSearch;
import java.util.List;

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
}
