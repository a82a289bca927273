package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.Readings;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import dev.safeconduct.text.NameGlob;
import java.util.List;
import java.util.function.Predicate;

/** Rules for the repositories that an agent may change and release from. */
final class RepositoryRules {
  private static final String LIMIT = "allowed_repos";

  private RepositoryRules() {}

  /** Entries name owner and repository. Without a slash only a match-all entry matches. */
  static RuleResult change(Facts facts) {
    return check(
        facts, ChangeRules.paramsOf(facts), entry -> entry.equals("*") || entry.indexOf('/') >= 0);
  }

  static RuleResult release(Facts facts) {
    return check(facts, facts.params(), _ -> true);
  }

  private static RuleResult check(Facts facts, List<JsonObject> params, Predicate<String> counts) {
    String repository = facts.context().text("repository");
    return switch (Readings.lists(facts.limits(), params, LIMIT)) {
      case Reading.Absent<List<List<String>>> _ -> RuleResult.pass();
      case Reading.Malformed<List<List<String>>> _ -> RuleResult.fail(LIMIT + " is not a list.");
      case Reading.Present<List<List<String>>>(List<List<String>> lists) -> {
        // Hosts ignore the case of ASCII letters only.
        String name = Folding.asciiLower(repository);
        for (List<String> list : lists) {
          List<String> entries = list.stream().filter(counts).map(Folding::asciiLower).toList();
          if (!NameGlob.anyMatches(entries, name)) {
            yield RuleResult.fail(
                "The repository " + Excerpt.of(repository) + " is not in " + LIMIT + ".");
          }
        }
        yield RuleResult.pass();
      }
    };
  }
}
