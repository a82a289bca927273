package dev.safeconduct.decision.path;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.decision.Validator;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

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
    return facts.context().string("file_path").orElse("");
  }

  /** The forms of {@link #filePath}, not normalised. */
  static List<String> fileForms(Facts facts) {
    return facts.once("path.file", () -> PathForms.of(filePath(facts)));
  }

  private static RuleResult allowlist(Facts facts) {
    if (!(facts.limits().list("allowed_paths")
        instanceof Reading.Present<List<String>>(List<String> allowed))) {
      return RuleResult.fail("The passport sets no list of allowed_paths.");
    }
    var patterns = PathPatterns.allowList(allowed);
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
    return optionalList(
        facts.limits(),
        "allowed_extensions",
        allowed -> FileExtension.admits(allowed, path),
        "The extension of " + Excerpt.of(path) + " is not in allowed_extensions.");
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
    Optional<String> cwd = facts.context().string("cwd");
    String asked =
        cwd.map(text -> "The directory " + Excerpt.of(text) + " is")
            .orElse("No cwd was given, and it is");
    return optionalList(
        facts.limits(),
        "allowed_working_directories",
        allowed ->
            cwd.map(text -> PathPatterns.allowList(allowed).matchEveryForm(text)).orElse(false),
        asked + " not in allowed_working_directories.");
  }

  private static RuleResult optionalList(
      Limits limits, String name, Predicate<List<String>> admits, String refusal) {
    return switch (limits.list(name)) {
      case Reading.Absent<List<String>> _ -> RuleResult.pass();
      case Reading.Malformed<List<String>> _ ->
          RuleResult.fail("The limit " + name + " is not a list.");
      case Reading.Present<List<String>>(List<String> allowed) ->
          admits.test(allowed) ? RuleResult.pass() : RuleResult.fail(refusal);
    };
  }
}
