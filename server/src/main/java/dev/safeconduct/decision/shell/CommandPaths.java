package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.decision.path.PathForms;
import dev.safeconduct.decision.path.PathPatterns;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The paths that a command line names, and those that the passport opens to it. */
final class CommandPaths {
  private static final List<String> LIMITS = List.of("allowed_paths", "allowed_directories");

  private CommandPaths() {}

  /** Returns the opened paths. Only here a limit that is not a list counts as an empty list. */
  static PathPatterns opened(Limits limits) {
    var opened = new ArrayList<String>();
    for (String name : LIMITS) {
      if (limits.list(name) instanceof Reading.Present<List<String>>(List<String> paths)) {
        opened.addAll(paths);
      }
    }
    return PathPatterns.allowList(opened);
  }

  /**
   * Returns the directories that a relative path may start from; an empty text stands for an
   * unknown one.
   */
  static List<String> directories(String cwd) {
    var directories = new LinkedHashSet<String>();
    if (!LexicalPath.isAbsolute(cwd)) {
      directories.add(""); // the executor uses the directory as written
    }
    for (String form : PathForms.normalised(cwd)) {
      if (LexicalPath.isAbsolute(form)) {
        directories.add(form + "/");
      }
    }
    return List.copyOf(directories);
  }

  /** Returns the forms of a path, the relative ones joined to each directory. */
  static Set<String> joined(String path, List<String> directories) {
    var joined = new LinkedHashSet<String>();
    for (String form : PathForms.of(path)) {
      if (form.startsWith("/") || form.startsWith("~") || form.startsWith("$")) {
        joined.add(form);
      } else {
        directories.forEach(directory -> joined.add(directory + form));
      }
    }
    return joined;
  }
}
