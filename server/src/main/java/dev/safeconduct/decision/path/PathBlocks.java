package dev.safeconduct.decision.path;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.text.Excerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * {@code validateFilePathPatterns} and {@code validateWriteBlockedPaths}: files that may not be
 * read or written (validators sections 2.5 and 2.6). One reading of one form is enough.
 */
final class PathBlocks {
  private PathBlocks() {}

  static RuleResult read(Facts facts) {
    return check(
        facts,
        "blocked_patterns",
        PathBlocks::globsAndTexts,
        BuiltInPaths.READ_CORE,
        BuiltInPaths.READ_DEFAULT);
  }

  static RuleResult write(Facts facts) {
    return check(
        facts,
        "blocked_paths",
        PathBlocks::patterns,
        BuiltInPaths.WRITE_CORE,
        BuiltInPaths.WRITE_DEFAULT);
  }

  private static RuleResult check(
      Facts facts,
      String limit,
      Function<List<String>, OwnerList> ownerList,
      PathSet core,
      PathSet byDefault) {
    Reading<OwnerList> entries = facts.limits().list(limit, "path." + limit, ownerList);
    if (entries instanceof Reading.Malformed) {
      return RuleResult.fail("The limit " + limit + " is not a list.");
    }
    OwnerList owner =
        entries instanceof Reading.Present<OwnerList>(OwnerList list) ? list : NO_ENTRIES;
    boolean lifted = facts.limits().grants("disable_default_blocks");
    for (String form : PathValidators.fileForms(facts)) {
      for (String path : PathReadings.of(form)) {
        if (core.hits(path) || (!lifted && byDefault.hits(path)) || owner.blocks(form, path)) {
          return RuleResult.fail("The path " + Excerpt.of(path) + " is blocked.");
        }
      }
    }
    return RuleResult.pass();
  }

  private interface OwnerList {
    boolean blocks(String form, String reading);
  }

  private static final OwnerList NO_ENTRIES = (form, reading) -> false;

  private static OwnerList patterns(List<String> entries) {
    PathPatterns patterns = PathPatterns.blockList(entries);
    return (form, reading) -> patterns.match(reading);
  }

  /** Reads entries with a wildcard as globs, others as text: {@code /x/} is in {@code /x/../y}. */
  private static OwnerList globsAndTexts(List<String> entries) {
    var wild = new ArrayList<String>();
    var texts = new ArrayList<String>();
    for (String entry : entries) {
      String text = PathPattern.prepareText(entry);
      if (PathPattern.isWild(text)) {
        wild.add(entry);
      } else if (!text.isEmpty()) {
        texts.add(text);
      }
    }
    PathPatterns globs = PathPatterns.blockList(wild);
    return (form, reading) ->
        globs.match(reading) || contains(form, texts) || contains(reading, texts);
  }

  private static boolean contains(String path, List<String> texts) {
    String lower = texts.isEmpty() ? "" : CaseFold.lower(path);
    for (String text : texts) {
      if (lower.contains(text)) {
        return true;
      }
    }
    return false;
  }
}
