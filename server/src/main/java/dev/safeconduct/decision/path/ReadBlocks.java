package dev.safeconduct.decision.path;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.text.Excerpt;
import java.util.ArrayList;
import java.util.List;

/** {@code validateFilePathPatterns}: paths that may not be read (validators 2.5 and 2.6). */
final class ReadBlocks {
  private final PathPatterns globs;
  private final List<String> texts;
  private final boolean lifted;

  private ReadBlocks(List<String> patterns, boolean lifted) {
    this.lifted = lifted;
    var wild = new ArrayList<String>();
    texts = new ArrayList<>();
    for (String pattern : patterns) {
      String text = PathPattern.prepareText(pattern);
      if (PathPattern.isWild(text)) {
        wild.add(pattern);
      } else if (!text.isEmpty()) {
        texts.add(text);
      }
    }
    globs = PathPatterns.blockList(wild);
  }

  static RuleResult check(Facts facts) {
    return switch (facts.limits().list("blocked_patterns")) {
      case Reading.Absent<List<String>> _ -> judge(facts, List.of());
      case Reading.Malformed<List<String>> _ ->
          RuleResult.fail("The limit blocked_patterns is no list.");
      case Reading.Present<List<String>>(List<String> patterns) -> judge(facts, patterns);
    };
  }

  private static RuleResult judge(Facts facts, List<String> patterns) {
    var blocks = new ReadBlocks(patterns, facts.limits().grants("disable_default_blocks"));
    for (String form : PathValidators.fileForms(facts)) {
      if (blocks.hit(form)) {
        return RuleResult.fail("The path " + Excerpt.of(form) + " is blocked.");
      }
    }
    return RuleResult.pass();
  }

  private boolean hit(String form) {
    String path = LexicalPath.normalise(form);
    return BuiltInPaths.READ_CORE.hits(path)
        || (!lifted && BuiltInPaths.READ_DEFAULT.hits(path))
        || globs.match(path)
        || contains(form)
        || contains(path);
  }

  /** Also searches plain texts in the path as written: {@code /x/} is in {@code /x/../y}. */
  private boolean contains(String path) {
    if (texts.isEmpty()) {
      return false;
    }
    String lower = CaseFold.lower(path);
    for (String text : texts) {
      if (lower.contains(text)) {
        return true;
      }
    }
    return false;
  }
}
