package dev.safeconduct.decision.code;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Readings;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.function.Predicate;

/** Which repositories may be changed, and released from. */
final class RepositoryRules {
  private static final String LIMIT = "allowed_repos";

  private RepositoryRules() {}

  /** Entries of a merge name owner and repository; one without a slash matches nothing but all. */
  static Verdict change(Facts facts) {
    return check(
        facts, MergeAction.params(facts), entry -> entry.equals("*") || entry.indexOf('/') >= 0);
  }

  static Verdict release(Facts facts) {
    return check(facts, facts.params(), _ -> true);
  }

  private static Verdict check(Facts facts, List<JsonObject> params, Predicate<String> counts) {
    String repository = facts.context().string("repository").orElse("");
    return switch (Readings.lists(facts.limits(), params, LIMIT)) {
      case Reading.Absent<List<List<String>>> _ -> Verdict.pass();
      case Reading.Malformed<List<List<String>>> _ -> Verdict.fail(LIMIT + " is not a list.");
      case Reading.Present<List<List<String>>>(List<List<String>> lists) -> {
        String name = lower(repository);
        for (List<String> list : lists) {
          List<String> entries = list.stream().filter(counts).map(RepositoryRules::lower).toList();
          if (!NameGlob.anyMatches(entries, name)) {
            yield Verdict.fail(
                "The repository " + Excerpt.of(repository) + " is not in " + LIMIT + ".");
          }
        }
        yield Verdict.pass();
      }
    };
  }

  /** Hosts ignore the case of ASCII letters only; other letters stay apart. */
  private static String lower(String text) {
    var lower = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      lower.append(c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c);
    }
    return lower.toString();
  }
}
