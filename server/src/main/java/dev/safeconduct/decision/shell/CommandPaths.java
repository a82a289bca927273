package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.decision.path.PathForms;
import dev.safeconduct.decision.path.PathPatterns;
import dev.safeconduct.decision.path.PathReadings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/** The paths that a command line names, and those that the passport opens to it. */
final class CommandPaths {
  private static final List<String> LIMITS = List.of("allowed_paths", "allowed_directories");

  private CommandPaths() {}

  /** Returns the opened paths. Only here a limit that is not a list counts as an empty list. */
  static PathPatterns opened(Limits limits) {
    return limits.compiled("shell.opened", CommandPaths::read);
  }

  private static PathPatterns read(Limits limits) {
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
    if (LexicalPath.isAbsolute(cwd) && PathReadings.isPlain(cwd)) {
      return List.of(cwd + "/"); // as nearly always
    }
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

  /**
   * Returns the forms of a path, the relative ones joined to each directory. One that begins with a
   * drive is relative on some systems only.
   */
  static Collection<String> joined(String path, List<String> directories) {
    List<String> forms = PathForms.of(path);
    if (forms.size() == 1 && directories.size() == 1 && !isOnDrive(forms.getFirst())) {
      return List.of(joined(forms.getFirst(), directories.getFirst()));
    }
    var joined = new LinkedHashSet<String>();
    for (String form : forms) {
      if (isOnDrive(form)) {
        joined.add(form);
      }
      directories.forEach(directory -> joined.add(joined(form, directory)));
    }
    return joined;
  }

  private static boolean isOnDrive(String form) {
    return form.startsWith(":/", 1) && CommandWords.isLetter(form.charAt(0));
  }

  private static String joined(String form, String directory) {
    return !form.isEmpty() && "/~$".indexOf(form.charAt(0)) >= 0 ? form : directory + form;
  }
}
