package dev.safeconduct.decision;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.text.Folding;
import dev.safeconduct.text.TextSearch;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lists of a passport that a validator compares with texts of the context. This is the only
 * work of validators that grows faster than the request.
 *
 * @param name names what is compiled of the limits
 * @param texts the context members
 * @param lists the limits, and params of capabilities
 */
record ComparisonCost(String name, List<String> texts, List<String> lists)
    implements Function<Limits, ComparisonCost.Entries> {
  private static final List<String> PATH = List.of("file_path");
  private static final List<String> COMMAND = List.of("command", "args", "env");
  private static final List<String> URL = List.of("url");
  private static final List<String> SERVER = List.of("server");
  private static final List<String> BRANCH = List.of("branch", "base_branch");
  private static final List<String> OUTPUT = List.of("output_content");
  private static final List<String> REVIEW = List.of("reviewer_agent_id", "author_agent_id");
  private static final List<String> REPOSITORY = List.of("repository");

  /** A validator that is not here takes time linear in the request. */
  private static final Map<String, ComparisonCost> OF =
      Map.ofEntries(
          entry("validatePathAllowlist", PATH, "allowed_paths"),
          entry("validateFilePathPatterns", PATH, "blocked_patterns"),
          entry("validateWriteBlockedPaths", PATH, "blocked_paths"),
          entry("validateWorkingDirectory", List.of("cwd"), "allowed_working_directories"),
          entry("validateCommandAllowlist", COMMAND, "allowed_commands"),
          entry("validateChainedCommands", COMMAND, "allowed_commands"),
          entry(
              "validateBlockedPatterns",
              COMMAND,
              "blocked_patterns",
              "allowed_paths",
              "allowed_directories"),
          entry("validateEnvironmentVariables", COMMAND, "blocked_env_vars"),
          entry("validateDomainAllowlist", URL, "allowed_domains"),
          entry("validateWebFetchBlockedDomains", URL, "blocked_domains"),
          entry("validateBrowserBlockedDomains", URL, "blocked_domains"),
          entry("validateSearchDomains", List.of("allowed_domains"), "allowed_domains"),
          entry("validateSearchBlockedDomains", List.of("allowed_domains"), "blocked_domains"),
          entry("validateSearchQuery", List.of("query"), "blocked_patterns"),
          entry(
              "validateWebFetchHeaders", List.of("headers"), "blocked_headers", "allowed_headers"),
          entry("validateMCPServerAllowlist", SERVER, "allowed_servers"),
          entry("validateMCPServer", SERVER, "allowed_servers"),
          entry(
              "validateMCPTool",
              List.of("tool"),
              "allowed_tools",
              "allowed_tool_prefixes",
              "blocked_tools"),
          entry("validateMergePaths", List.of("files_changed"), "path_allowlist"),
          entry("validateMergeBranch", BRANCH, "allowed_base_branches"),
          entry("validateMergeRepository", REPOSITORY, "allowed_repos"),
          entry("validateReleaseBranch", BRANCH, "allowed_branches"),
          entry("validateReleaseRepository", REPOSITORY, "allowed_repos"),
          entry(
              "validateReleaseFiles",
              List.of("files"),
              "allowed_extensions",
              "allowed_file_extensions"),
          entry("validateDeliverableReviewer", REVIEW),
          entry("validateDeliverableBlockedPatterns", OUTPUT, "blocked_patterns"));

  /** A literal is compared this much faster than a pattern. */
  private static final int LITERAL = 16;

  /** Patterns up to this length are matched in one pass over the text. */
  private static final int SHORT = 60;

  /**
   * A long text is searched for in a pass of its own, which takes as long as this many literals.
   */
  private static final int SEARCH = 4;

  /** To prepare the search for a text, each of its characters takes as long as this many. */
  private static final long PREPARED = 512;

  /** How many texts are searched for in an output (pack catalogue 18). */
  private static final int SEARCHED = 100;

  /** The cost of an entry that is only read, in characters. */
  private static final int ENTRY = 128;

  /** A command line is read many times: by words, by segments and by the paths in it. */
  private static final int COMMAND_READINGS = 64;

  /** The spellings of a path with percent signs, and the most readings of one below others. */
  private static final long SPELLINGS = 4;

  private static final long READINGS = 8;
  private static final List<String> VIEWS = List.of("proc/", "dev/fd/");

  /** The characters that are compared in one step. */
  private static final int CHARACTERS_PER_STEP = 2_048;

  private static Map.Entry<String, ComparisonCost> entry(
      String validator, List<String> texts, String... lists) {
    return Map.entry(validator, new ComparisonCost("cost." + validator, texts, List.of(lists)));
  }

  /** Charges what the validator will compare, before it does, to the budget of a further rule. */
  static void charge(String validator, Facts facts, Budget budget) {
    ComparisonCost made = OF.get(validator);
    if (made == null) {
      return;
    }
    long length = 0;
    for (int i = 0; i < made.texts.size(); i++) {
      JsonValue value = facts.context().get(made.texts.get(i));
      length += length(value) * (made.texts.equals(PATH) ? readings(value) : 1);
      length += made.isFolded() ? growth(value) : 0;
    }
    long cost = made.texts.equals(COMMAND) ? length * COMMAND_READINGS : 0;
    Entries entries = facts.limits().compiled(made.name, made);
    // In a short output each text is looked for by itself, and nothing is prepared.
    cost +=
        made.texts.equals(OUTPUT) && length <= TextSearch.SHORT_TEXT && entries.factor > 0
            ? length + SEARCHED * length / LITERAL
            : entries.times(length);
    for (JsonObject params : facts.params()) {
      for (String list : made.lists) {
        cost += Entries.NONE.and(params.get(list)).times(length);
      }
    }
    if (cost >= CHARACTERS_PER_STEP) {
      budget.next().charge(cost / CHARACTERS_PER_STEP);
    }
  }

  /** Returns what comparing the lists in the limits costs. */
  @Override
  public Entries apply(Limits limits) {
    Entries all = Entries.NONE;
    if (texts.equals(REVIEW)) {
      return limits.demands("require_different_reviewer") ? all.searched(JsonArray.EMPTY) : all;
    }
    if (texts.equals(OUTPUT)) {
      return limits.demands("scan_output")
              && limits.get("blocked_patterns") instanceof JsonArray entries
          ? all.searched(entries)
          : all;
    }
    for (String list : lists) {
      all = all.and(limits.get(list));
    }
    return all;
  }

  /**
   * What comparing lists costs for texts of a length.
   *
   * @param fixed characters, for texts of any length
   * @param literals how many literals each text is compared with
   * @param factor how often each text is read for patterns
   */
  record Entries(long fixed, long literals, long factor) {
    static final Entries NONE = new Entries(0, 0, 0);

    Entries and(@Nullable JsonValue list) {
      return switch (list) {
        case JsonArray entries -> {
          Entries all = this;
          for (JsonValue entry : entries) {
            all = entry instanceof JsonString(String text) ? all.and(text) : all;
          }
          yield all;
        }
        // In params one text with commas is a list.
        case JsonString(String text) ->
            new Entries(fixed, literals, factor + 1 + text.length() / 2);
        case null, default -> this;
      };
    }

    /** Adds the texts that are searched for: all short ones take one pass. */
    Entries searched(JsonArray entries) {
      long prepared = 0;
      long passes = 0;
      for (String text : entries.texts().stream().limit(SEARCHED).toList()) {
        prepared += PREPARED * Math.min(text.length(), SHORT);
        passes += TextSearch.isLong(Folding.fold(text)) ? SEARCH : 0;
      }
      return new Entries(fixed + prepared, literals + passes, factor + 1);
    }

    private Entries and(String entry) {
      boolean wild = entry.indexOf('*') >= 0 || entry.indexOf('?') >= 0;
      long often = entry.length() > SHORT ? entry.length() : 1;
      return new Entries(
          fixed + ENTRY + entry.length(),
          wild ? literals : literals + 1,
          wild ? factor + often : factor);
    }

    long times(long length) {
      return fixed + literals * (length / LITERAL) + factor * length;
    }
  }

  /** Returns how many texts a path may stand for, each of which is compared. */
  private static long readings(@Nullable JsonValue value) {
    if (!(value instanceof JsonString(String path))) {
      return 1;
    }
    String lower = Folding.asciiLower(path);
    boolean escaped = lower.indexOf('%') >= 0;
    boolean viewed = escaped || VIEWS.stream().anyMatch(lower::contains);
    return (escaped ? SPELLINGS : 1) * (viewed ? READINGS : 1);
  }

  /** Whether the texts may be long and are folded before they are compared. */
  private boolean isFolded() {
    return texts.equals(OUTPUT) || texts.equals(REVIEW);
  }

  /** Returns how much longer folding makes a text: some characters stand for whole words. */
  private static long growth(@Nullable JsonValue value) {
    long growth = 0;
    if (value instanceof JsonString(String text) && !Folding.isAscii(text)) {
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        growth += c == '\ufdfa' ? 17 : c == '\ufdfb' ? 7 : c >= '\u3200' && c < '\u3400' ? 6 : 0;
      }
    }
    return growth;
  }

  /** Returns the characters of all texts in the value, names included. */
  private static long length(@Nullable JsonValue value) {
    long length = 0;
    switch (value) {
      case JsonString(String text) -> length = text.length();
      case JsonArray array -> {
        for (JsonValue element : array) {
          length += length(element);
        }
      }
      case JsonObject object -> {
        for (String name : object.names()) {
          length += name.length() + length(object.get(name));
        }
      }
      case null, default -> {}
    }
    return length + 1;
  }
}
