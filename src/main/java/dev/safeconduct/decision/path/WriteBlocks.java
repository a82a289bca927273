package dev.safeconduct.decision.path;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.text.Excerpt;
import java.util.List;

/** {@code validateWriteBlockedPaths}: where no write may go (validators 2.5 and 2.6). */
final class WriteBlocks {
  private WriteBlocks() {}

  static Verdict check(Facts facts) {
    return switch (facts.limits().list("blocked_paths")) {
      case Reading.Absent<List<String>> _ -> judge(facts, List.of());
      case Reading.Malformed<List<String>> _ -> Verdict.fail("The limit blocked_paths is no list.");
      case Reading.Present<List<String>>(List<String> blocked) -> judge(facts, blocked);
    };
  }

  private static Verdict judge(Facts facts, List<String> blocked) {
    var owner = PathPatterns.blockList(blocked);
    boolean lifted = facts.limits().grants("disable_default_blocks");
    for (String form : PathValidators.fileForms(facts)) {
      String path = LexicalPath.normalise(form);
      if (BuiltInPaths.WRITE_CORE.hits(path)
          || (!lifted && BuiltInPaths.WRITE_DEFAULT.hits(path))
          || owner.match(path)) {
        return Verdict.fail("Writing to " + Excerpt.of(path) + " is blocked.");
      }
    }
    return Verdict.pass();
  }
}
