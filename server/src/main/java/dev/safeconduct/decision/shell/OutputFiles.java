package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.decision.path.BuiltInPaths;
import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.decision.path.PathPatterns;
import dev.safeconduct.decision.path.PathReadings;
import dev.safeconduct.decision.shell.SimpleCommand.Redirection;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Function;

/** Files that the redirections of a closed line write (validators section 4.7). */
final class OutputFiles {
  private final PathPatterns opened;
  private final List<String> directories;
  private final boolean lifted;

  private OutputFiles(Facts facts) {
    opened = CommandPaths.opened(facts.limits());
    directories = CommandPaths.directories(facts.context().text("cwd"));
    lifted = facts.limits().grants("disable_default_blocks");
  }

  /** Fails if the line writes a file that the owner's limits do not open to output. */
  static RuleResult check(ClosedLine line, Facts facts) {
    return find(line, facts, OutputFiles::isUnopened, RuleResult::fail);
  }

  /** Fails if the line writes a file that the built-in lists protect, whatever else is wrong. */
  static RuleResult protectedOf(ClosedLine line, Facts facts) {
    return find(line, facts, OutputFiles::isProtected, RuleResult::never);
  }

  /**
   * Returns the result, or if it is a failure a lasting one when the line writes a file that no
   * passport opens, by the tolerant reading and behind shells: a line of many readings has no
   * closed form.
   */
  static RuleResult orNever(RuleResult result, CommandLine line, Facts facts) {
    if (result instanceof RuleResult.Fail) {
      List<String> directories = CommandPaths.directories(facts.context().text("cwd"));
      for (Segment segment : line.throughShells()) {
        List<String> words = segment.words();
        for (int place : Redirections.targetWords(words)) {
          String path = Redirections.target(words.get(place));
          if (!path.isEmpty() && !path.equals("/dev/null") && isCore(path, directories)) {
            return RuleResult.never(
                "The line writes " + Excerpt.of(path) + ", which no passport opens.");
          }
        }
      }
    }
    return result;
  }

  private static boolean isCore(String target, List<String> directories) {
    for (String form : CommandPaths.joined(target, directories)) {
      for (String reading : PathReadings.of(form)) {
        if (BuiltInPaths.WRITE_CORE.hits(reading)) {
          return true;
        }
      }
    }
    return false;
  }

  private static RuleResult find(
      ClosedLine line,
      Facts facts,
      BiPredicate<OutputFiles, String> denied,
      Function<String, RuleResult> failure) {
    OutputFiles files = null;
    for (SimpleCommand command : line.commands()) {
      for (Redirection redirection : command.redirections()) {
        String path = redirection.target();
        if (!redirection.output() || path.equals("/dev/null")) {
          continue;
        }
        files = files == null ? new OutputFiles(facts) : files;
        if (denied.test(files, path)) {
          return failure.apply(
              "The line writes "
                  + Excerpt.of(path)
                  + ", which allowed_paths and allowed_directories do not open to output"
                  + " (2>&1 and >/dev/null need no permission).");
        }
      }
    }
    return RuleResult.pass();
  }

  private boolean isUnopened(String target) {
    for (String form : CommandPaths.joined(target, directories)) {
      if (!opened.match(LexicalPath.normalise(form))) {
        return true;
      }
    }
    return false;
  }

  private boolean isProtected(String target) {
    for (String form : CommandPaths.joined(target, directories)) {
      for (String reading : PathReadings.of(form)) {
        if (BuiltInPaths.WRITE_CORE.hits(reading)
            || (!lifted && BuiltInPaths.WRITE_DEFAULT.hits(reading))) {
          return true;
        }
      }
    }
    return false;
  }
}
