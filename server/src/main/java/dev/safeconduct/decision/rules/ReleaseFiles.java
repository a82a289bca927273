package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.decision.path.BuiltInPaths;
import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.decision.path.PathForms;
import dev.safeconduct.decision.path.PathReadings;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Rules for the files of a release: below the working directory, no secrets, of listed types. */
final class ReleaseFiles {
  private final String limit;
  private final Optional<List<String>> endings;
  private final boolean lifted;

  /** {@code limit}: the list of endings, by the name that the passport uses. */
  private ReleaseFiles(String limit, Optional<List<String>> endings, boolean lifted) {
    this.limit = limit;
    this.endings = endings;
    this.lifted = lifted;
  }

  static RuleResult check(Facts facts) {
    Limits limits = facts.limits();
    boolean lifted = limits.grants("disable_default_blocks");
    String name = limits.firstPresent("allowed_extensions", "allowed_file_extensions");
    List<String> files = facts.context().list("files").strings().toList();
    return switch (limits.list(name)) {
      case Reading.Absent<List<String>> _ ->
          new ReleaseFiles(name, Optional.empty(), lifted).check(files);
      case Reading.Malformed<List<String>> _ -> RuleResult.fail(name + " is not a list.");
      case Reading.Present<List<String>>(List<String> entries) ->
          new ReleaseFiles(name, endings(entries), lifted).check(files);
    };
  }

  /** Returns the name endings that the list allows, or empty if it allows all. */
  private static Optional<List<String>> endings(List<String> entries) {
    List<String> texts =
        entries.stream().map(Folding::trim).map(text -> text.toLowerCase(Locale.ROOT)).toList();
    return texts.contains("*")
        ? Optional.empty()
        : Optional.of(
            texts.stream()
                .filter(text -> !text.isEmpty())
                .map(text -> text.startsWith(".") ? text : "." + text)
                .toList());
  }

  private RuleResult check(List<String> files) {
    for (String file : files) {
      Optional<String> fault = fault(file);
      if (fault.isPresent()) {
        return RuleResult.fail("The file " + Excerpt.of(file) + fault.get());
      }
    }
    return RuleResult.pass();
  }

  private Optional<String> fault(String file) {
    if (file.isEmpty() || file.indexOf('\\') >= 0 || !PathForms.isClean(file)) {
      return Optional.of(" is not a valid file name.");
    }
    for (String form : PathForms.of(file)) {
      if (form.startsWith("/") || form.startsWith("~") || climbs(form)) {
        return Optional.of(" is not named by a path below the working folder.");
      }
      if (!lifted && PathReadings.of(form).stream().anyMatch(BuiltInPaths.READ_DEFAULT::hits)) {
        return Optional.of(" may hold a secret.");
      }
      if (!ending(LexicalPath.normalise(form))) {
        return Optional.of(" is not of a kind in " + limit + ".");
      }
    }
    return Optional.empty();
  }

  private static boolean climbs(String form) {
    return ("/" + form + "/").contains("/../");
  }

  private boolean ending(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    return endings
        .map(list ->
            list.stream()
                .anyMatch(ending -> name.endsWith(ending) && name.length() > ending.length()))
        .orElse(true);
  }
}
