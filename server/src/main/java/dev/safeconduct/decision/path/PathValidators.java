package dev.safeconduct.decision.path;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.decision.Validator;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The rules about files and directories (pack catalogue 1 to 3, validators section 2). */
public final class PathValidators {
  private static final OwnerList NO_ENTRIES = (form, reading) -> false;

  private static final String LIMIT = "max_file_size_mb";
  private static final double MEBIBYTE = 1_048_576;

  private static final Map<String, Validator> ALL =
      Map.of(
          "validatePathAllowlist", PathValidators::allowlist,
          "validateFilePathPatterns", PathValidators::readBlocks,
          "validateFileExtension", PathValidators::extension,
          "validateWriteBlockedPaths", PathValidators::writeBlocks,
          "validateWriteFileExtension", PathValidators::extension,
          "validateFileContentSize", PathValidators::contentSize,
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
        .list("allowed_extensions", "path.extensions", PathValidators::extensions)) {
      case Reading.Absent<Set<String>> _ -> RuleResult.pass();
      case Reading.Malformed<Set<String>> _ ->
          RuleResult.fail("The limit allowed_extensions is not a list.");
      case Reading.Present<Set<String>>(Set<String> allowed) ->
          admitsExtension(allowed, path)
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

  /**
   * {@code validateFileContentSize}: the larger of the announced and the sent size, in bytes,
   * against a limit in mebibytes (pack catalogue 3, rule 4).
   */
  static RuleResult contentSize(Facts facts) {
    JsonObject context = facts.context();
    Optional<String> content = context.string("content");
    double announced = context.get("content_length") instanceof JsonNumber(double n, _) ? n : -1;
    if (content.isEmpty() && announced < 0) {
      return RuleResult.pass();
    }
    return switch (facts.limits().number(LIMIT)) {
      case Reading.Absent<Double> _ -> RuleResult.pass();
      case Reading.Malformed<Double> _ ->
          RuleResult.fail("The limit " + LIMIT + " is not a number of at least 0.");
      case Reading.Present<Double>(Double most) -> {
        double size = Math.max(announced, content.map(PathValidators::utf8Length).orElse(0L));
        yield size > most * MEBIBYTE
            ? RuleResult.fail((long) size + " bytes are more than " + LIMIT + " allows.")
            : RuleResult.pass();
      }
    };
  }

  /** The number of bytes the text takes in UTF-8. */
  static long utf8Length(String text) {
    long bytes = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x800 && !Character.isSurrogate(c)) {
        bytes += 2;
      } else if (c >= 0x80) {
        bytes++; // each half of a surrogate pair takes two of the pair's four bytes
      }
    }
    return bytes;
  }

  /**
   * The text from the last dot of the last part on, in lower case; empty without a dot. {@code
   * .env} is its own extension, and a name that ends in a dot has the extension {@code "."}.
   */
  public static String extensionOf(String path) {
    int dot = path.lastIndexOf('.');
    return dot <= path.lastIndexOf('/') ? "" : path.substring(dot).toLowerCase(Locale.ROOT);
  }

  /** Returns the entries of a list of extensions. */
  public static Set<String> extensions(List<String> allowed) {
    return allowed.stream()
        .map(PathValidators::extensionEntry)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether the entries admit the extension of every form of the path. */
  public static boolean admitsExtension(Set<String> extensions, String path) {
    if (extensions.contains("*")) {
      return true;
    }
    for (String form : PathForms.normalised(path)) {
      if (!extensions.contains(extensionOf(form))) {
        return false;
      }
    }
    return true;
  }

  /** An entry with its leading dot; {@code ""} (no extension) and {@code *} stay as they are. */
  private static String extensionEntry(String entry) {
    String text = Folding.trim(entry).toLowerCase(Locale.ROOT);
    return text.isEmpty() || text.equals("*") || text.startsWith(".") ? text : "." + text;
  }

  /**
   * {@code validateFilePathPatterns} and {@code validateWriteBlockedPaths}: files that may not be
   * read or written (validators sections 2.5 and 2.6). One reading of one form is enough.
   */
  static RuleResult readBlocks(Facts facts) {
    return blocks(
        facts,
        "blocked_patterns",
        PathValidators::globsAndTexts,
        BuiltInPaths.READ_CORE,
        BuiltInPaths.READ_DEFAULT);
  }

  static RuleResult writeBlocks(Facts facts) {
    return blocks(
        facts,
        "blocked_paths",
        PathValidators::patterns,
        BuiltInPaths.WRITE_CORE,
        BuiltInPaths.WRITE_DEFAULT);
  }

  private static RuleResult blocks(
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
    for (String form : fileForms(facts)) {
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
