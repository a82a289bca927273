package dev.safeconduct.decision.task;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.List;

/** What is asked of a finished task beside its criteria. */
final class TaskRules {
  private static final int MOST_PATTERNS = 100;

  private TaskRules() {}

  static Verdict summary(Facts facts) {
    if (!facts.limits().demands("require_summary")) {
      return Verdict.pass();
    }
    double least;
    switch (facts.limits().number("min_summary_words")) {
      case Reading.Absent<Double> _ -> least = 1;
      case Reading.Malformed<Double> _ -> {
        return Verdict.fail("min_summary_words is no number of at least 0.");
      }
      case Reading.Present<Double>(Double number) -> least = Math.max(1, number);
    }
    int words = words(facts.context().string("summary").orElse(""));
    return words >= least
        ? Verdict.pass()
        : Verdict.fail(
            "The summary has " + words + " words; " + (long) Math.ceil(least) + " are required.");
  }

  /** The number of texts between white space; one that shows nothing is no word. */
  static int words(String text) {
    int words = 0;
    boolean within = false;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (Folding.isWhiteSpace(c)) {
        within = false;
      } else if (!within && Character.getType(c) != Character.FORMAT) {
        within = true;
        words++;
      }
    }
    return words;
  }

  static Verdict tests(Facts facts) {
    return !facts.limits().demands("require_tests_passing")
            || facts.context().isTrue("tests_passing")
        ? Verdict.pass()
        : Verdict.fail("The tests must pass: tests_passing must be true.");
  }

  /** Author and reviewer are both named and are not the same, however they are spelled. */
  static Verdict reviewer(Facts facts) {
    if (!facts.limits().demands("require_different_reviewer")) {
      return Verdict.pass();
    }
    String reviewer = Folding.fold(facts.context().string("reviewer_agent_id").orElse(""));
    String author = Folding.fold(facts.context().string("author_agent_id").orElse(""));
    if (reviewer.isEmpty() || author.isEmpty()) {
      return Verdict.fail("reviewer_agent_id and author_agent_id are both required.");
    }
    return reviewer.equals(author)
        ? Verdict.fail("The author must not be the reviewer.")
        : Verdict.pass();
  }

  static Verdict patterns(Facts facts) {
    String content = facts.context().string("output_content").orElse("");
    if (content.isEmpty() || !facts.limits().demands("scan_output")) {
      return Verdict.pass();
    }
    return switch (facts.limits().list("blocked_patterns")) {
      case Reading.Absent<List<String>> _ -> Verdict.pass();
      case Reading.Malformed<List<String>> _ -> Verdict.fail("blocked_patterns is not a list.");
      case Reading.Present<List<String>>(List<String> patterns) -> {
        String folded = Folding.fold(content);
        yield patterns.stream()
            .limit(MOST_PATTERNS)
            .map(Folding::fold)
            .filter(pattern -> !pattern.isEmpty() && folded.contains(pattern))
            .findFirst()
            .map(pattern -> Verdict.fail("The output holds " + Excerpt.of(pattern) + "."))
            .orElse(Verdict.pass());
      }
    };
  }
}
