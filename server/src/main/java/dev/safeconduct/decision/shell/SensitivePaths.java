package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.path.BuiltInPaths;
import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.decision.path.PathForms;
import dev.safeconduct.decision.path.PathPatterns;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Paths a command line may not name without permission (validators section 4.5). */
final class SensitivePaths {
  private final PathPatterns opened;
  private final List<WorkingDirectory> directories = new ArrayList<>();
  private final boolean adrift;

  /**
   * @param opened the owner's lists of sensitive paths that a command may name
   */
  SensitivePaths(List<String> opened, Optional<String> cwd) {
    // The executor uses the directory as written, so it may be any directory then.
    adrift = !LexicalPath.isAbsolute(cwd.orElse(""));
    this.opened = PathPatterns.allowList(opened);
    for (String form : PathForms.normalised(cwd.orElse(""))) {
      if (LexicalPath.isAbsolute(form)) {
        directories.add(new WorkingDirectory(form, this.opened));
      }
    }
  }

  /** The first path in the line that is sensitive and not opened. */
  Optional<String> find(CommandLine line) {
    for (Segment segment : line.throughShells()) {
      for (String word : segment.words()) {
        Optional<String> found = inWord(word);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<String> inWord(String word) {
    if (holdsWhiteSpace(word)) {
      return Optional.empty();
    }
    int start = 0;
    for (int i = 0; i <= word.length(); i++) {
      if (i == word.length() || isDivider(word.charAt(i))) {
        Optional<String> found =
            i > start ? inPiece(word.substring(start, i)) : Optional.<String>empty();
        if (found.isPresent()) {
          return found;
        }
        start = i + 1;
      }
    }
    return Optional.empty();
  }

  private Optional<String> inPiece(String piece) {
    for (String form : PathForms.of(piece)) {
      String path = LexicalPath.normalise(form);
      boolean asItIs = form.startsWith("/") || form.startsWith("~") || form.startsWith("$");
      if (asItIs || adrift) {
        String judged = asItIs ? path : withoutClimbs(path);
        if (BuiltInPaths.SENSITIVE.hits(judged) && !opened.match(judged)) {
          return Optional.of(judged);
        }
      }
      if (!asItIs) {
        for (WorkingDirectory directory : directories) {
          Optional<String> found = directory.sensitive(path);
          if (found.isPresent()) {
            return found;
          }
        }
      }
    }
    return Optional.empty();
  }

  /** A path that leaves an unknown directory is assumed to start at the root. */
  private static String withoutClimbs(String path) {
    int rest = WorkingDirectory.restOf(path);
    return rest == 0 ? path : "/" + path.substring(rest);
  }

  private static boolean holdsWhiteSpace(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (Folding.isWhiteSpace(word.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isDivider(char c) {
    return switch (c) {
      case '=', '@', ':', ',', '<', '>', '\'', '"' -> true;
      default -> false;
    };
  }
}
