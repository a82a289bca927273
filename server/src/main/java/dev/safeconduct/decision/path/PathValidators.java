package dev.safeconduct.decision.path;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.decision.Validator;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The rules about files and directories (pack catalogue 1 to 3, validators section 2). */
public final class PathValidators {
  private static final Map<String, Validator> ALL =
      Map.of(
          "validatePathAllowlist", PathValidators::allowlist,
          "validateFilePathPatterns", PathBlocks::read,
          "validateFileExtension", PathValidators::extension,
          "validateWriteBlockedPaths", PathBlocks::write,
          "validateWriteFileExtension", PathValidators::extension,
          "validateFileContentSize", ContentSize::check,
          "validateParentDirectory", PathValidators::parentDirectory,
          "validateWorkingDirectory", PathValidators::workingDirectory);

  private PathValidators() {}

  public static Map<String, Validator> all() {
    return ALL;
  }

  /** Returns the path of the action's file. */
  static String filePath(Facts facts) {
    return facts.context().text("file_path");
  }

  /** The forms of {@link #filePath}, not normalised. */
  static List<String> fileForms(Facts facts) {
    return facts.once("path.file", () -> PathForms.of(filePath(facts)));
  }

  private static RuleResult allowlist(Facts facts) {
    if (!(facts.limits().list("allowed_paths", "path.allowed", PathPatterns::allowList)
        instanceof Reading.Present<PathPatterns>(PathPatterns patterns))) {
      return RuleResult.fail("The passport sets no list of allowed_paths.");
    }
    for (String form : fileForms(facts)) {
      String path = LexicalPath.normalise(form);
      if (!patterns.match(path)) {
        return RuleResult.fail("The path " + Excerpt.of(path) + " is not in allowed_paths.");
      }
    }
    return RuleResult.pass();
  }

  private static RuleResult extension(Facts facts) {
    String path = filePath(facts);
    return switch (facts
        .limits()
        .list("allowed_extensions", "path.extensions", FileExtension::entries)) {
      case Reading.Absent<Set<String>> _ -> RuleResult.pass();
      case Reading.Malformed<Set<String>> _ ->
          RuleResult.fail("The limit allowed_extensions is not a list.");
      case Reading.Present<Set<String>>(Set<String> allowed) ->
          FileExtension.admits(allowed, path)
              ? RuleResult.pass()
              : RuleResult.fail(
                  "The extension of " + Excerpt.of(path) + " is not in allowed_extensions.");
    };
  }

  private static RuleResult parentDirectory(Facts facts) {
    if (facts.context().isTrue("create_dirs")) {
      boolean granted =
          facts.limits().get("allow_create_dirs") == null
              || facts.limits().grants("allow_create_dirs");
      return granted
          ? RuleResult.pass()
          : RuleResult.fail("The passport does not let this agent create directories.");
    }
    return facts.context().get("parent_exists") == JsonBoolean.FALSE
        ? RuleResult.fail("The parent directory does not exist and create_dirs was not asked for.")
        : RuleResult.pass();
  }

  private static RuleResult workingDirectory(Facts facts) {
    return switch (facts
        .limits()
        .list("allowed_working_directories", "path.working", PathPatterns::allowList)) {
      case Reading.Absent<PathPatterns> _ -> RuleResult.pass();
      case Reading.Malformed<PathPatterns> _ ->
          RuleResult.fail("The limit allowed_working_directories is not a list.");
      case Reading.Present<PathPatterns>(PathPatterns allowed) -> {
        Optional<String> cwd = facts.context().string("cwd");
        yield cwd.filter(allowed::matchEveryForm).isPresent()
            ? RuleResult.pass()
            : RuleResult.fail(
                cwd.map(text -> "The directory " + Excerpt.of(text) + " is")
                        .orElse("No cwd was given, and it is")
                    + " not in allowed_working_directories.");
      }
    };
  }
}
