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

/** Files that the redirections of a closed line write (validators section 4.7). */
final class OutputFiles {
  private final PathPatterns opened;
  private final List<String> directories;
  private final boolean lifted;

  private OutputFiles(Facts facts) {
    opened = CommandPaths.opened(facts.limits());
    directories = CommandPaths.directories(facts.context().string("cwd").orElse(""));
    lifted = facts.limits().grants("disable_default_blocks");
  }

  static RuleResult check(ClosedLine line, Facts facts) {
    OutputFiles files = null;
    for (SimpleCommand command : line.commands()) {
      for (Redirection redirection : command.redirections()) {
        String path = redirection.target();
        if (!redirection.output() || path.equals("/dev/null")) {
          continue;
        }
        files = files == null ? new OutputFiles(facts) : files;
        if (!files.admit(path)) {
          return RuleResult.fail(
              "The line writes "
                  + Excerpt.of(path)
                  + ", which allowed_paths and allowed_directories do not open to output"
                  + " (2>&1 and >/dev/null need no permission).");
        }
      }
    }
    return RuleResult.pass();
  }

  private boolean admit(String target) {
    for (String form : CommandPaths.joined(target, directories)) {
      if (!opened.match(LexicalPath.normalise(form))) {
        return false;
      }
      for (String reading : PathReadings.of(form)) {
        if (BuiltInPaths.WRITE_CORE.hits(reading)
            || (!lifted && BuiltInPaths.WRITE_DEFAULT.hits(reading))) {
          return false;
        }
      }
    }
    return true;
  }
}
