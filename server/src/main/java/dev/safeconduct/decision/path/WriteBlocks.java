package dev.safeconduct.decision.path;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.text.Excerpt;
import java.util.List;

/** {@code validateWriteBlockedPaths}: paths that may not be written (validators 2.5 and 2.6). */
final class WriteBlocks {
  private WriteBlocks() {}

  static RuleResult check(Facts facts) {
    return switch (facts.limits().list("blocked_paths")) {
      case Reading.Absent<List<String>> _ -> judge(facts, List.of());
      case Reading.Malformed<List<String>> _ ->
          RuleResult.fail("The limit blocked_paths is no list.");
      case Reading.Present<List<String>>(List<String> blocked) -> judge(facts, blocked);
    };
  }

  private static RuleResult judge(Facts facts, List<String> blocked) {
    var owner = PathPatterns.blockList(blocked);
    boolean lifted = facts.limits().grants("disable_default_blocks");
    for (String form : PathValidators.fileForms(facts)) {
      String path = LexicalPath.normalise(form);
      if (BuiltInPaths.WRITE_CORE.hits(path)
          || (!lifted && BuiltInPaths.WRITE_DEFAULT.hits(path))
          || owner.match(path)) {
        return RuleResult.fail("Writing to " + Excerpt.of(path) + " is blocked.");
      }
    }
    return RuleResult.pass();
  }
}
