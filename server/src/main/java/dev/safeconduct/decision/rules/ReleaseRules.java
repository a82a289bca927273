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
import java.util.function.IntPredicate;

/** Rules for the version of a release and the signature of its artifact. */
final class ReleaseRules {
  private static final String ALGORITHM = "sha256:";
  private static final int SHA_256_DIGITS = 64;

  private ReleaseRules() {}

  static RuleResult version(Facts facts) {
    String version = facts.context().text("version");
    return isVersion(version)
        ? RuleResult.pass()
        : RuleResult.fail(
            "The version "
                + Excerpt.of(version)
                + " is not of the form 1.2.3, 1.2.3-rc.1 or 1.2.3+build.5.");
  }

  static RuleResult signature(Facts facts) {
    if (!facts.limits().demands("require_signed_artifacts")) {
      return RuleResult.pass();
    }
    String digest = facts.context().text("artifact_sha");
    if (digest.startsWith(ALGORITHM)) {
      digest = digest.substring(ALGORITHM.length());
    }
    if (digest.length() != SHA_256_DIGITS
        || run(digest, 0, ReleaseRules::isHexDigit) != digest.length()) {
      return RuleResult.fail("artifact_sha must be the SHA-256 of the artifact, 64 hex digits.");
    }
    return Folding.isInvisible(facts.context().text("signer"))
        ? RuleResult.fail("A signer is required.")
        : RuleResult.pass();
  }

  /** Whether the text is three dotted numbers with an optional {@code -} and {@code +} label. */
  static boolean isVersion(String text) {
    int at = 0;
    for (int number = 0; number < 3; number++) {
      int start = number == 0 ? at : at + 1;
      if (number > 0 && (at >= text.length() || text.charAt(at) != '.')) {
        return false;
      }
      at = run(text, start, ReleaseRules::isDigit);
      if (at == start) {
        return false;
      }
    }
    at = labelled(text, at, '-');
    at = at < 0 ? at : labelled(text, at, '+');
    return at == text.length();
  }

  /** Returns the end of a label with this sign, {@code at} without one, or -1 if it is empty. */
  private static int labelled(String text, int at, char sign) {
    if (at >= text.length() || text.charAt(at) != sign) {
      return at;
    }
    int end = run(text, at + 1, ReleaseRules::isLabelCharacter);
    return end == at + 1 ? -1 : end;
  }

  private static int run(String text, int start, IntPredicate allowed) {
    int at = start;
    while (at < text.length() && allowed.test(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isHexDigit(int c) {
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  private static boolean isLabelCharacter(int c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
  }

  /** Rules for the files of a release: below the working directory, no secrets, of listed types. */
  static final class ReleaseFiles {
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
}
