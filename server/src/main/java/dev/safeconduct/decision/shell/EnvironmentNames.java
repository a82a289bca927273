package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** {@code validateEnvironmentVariables} (validators section 4.6). */
final class EnvironmentNames {
  private static final String LIMIT = "blocked_env_vars";
  private static final List<String> DEFAULTS =
      List.of(
          "path",
          "ld_preload",
          "ld_library_path",
          "ld_audit",
          "dyld_insert_libraries",
          "dyld_library_path",
          "bash_env",
          "env",
          "ifs",
          "shellopts",
          "prompt_command",
          "node_options",
          "pythonpath",
          "pythonstartup",
          "perl5opt",
          "rubyopt",
          "git_ssh_command",
          "git_external_diff",
          "bash_func_*");

  private final Set<String> exact = new HashSet<>();
  private final List<String> prefixes = new ArrayList<>();

  private EnvironmentNames(List<String> owner, boolean lifted) {
    owner.forEach(entry -> add(Folding.blockKey(entry)));
    if (!lifted) {
      DEFAULTS.forEach(this::add);
    }
  }

  static RuleResult check(Facts facts) {
    JsonObject env = facts.context().object("env").orElse(JsonObject.EMPTY);
    for (String name : env.names()) {
      if (!CommandWords.isName(name, name.length())) {
        return RuleResult.fail(Excerpt.of(name) + " is no name for an environment variable.");
      }
      if (env.string(name).orElse("").indexOf('\0') >= 0) {
        return RuleResult.fail("The value of " + Excerpt.of(name) + " holds U+0000.");
      }
    }
    List<String> names = assigned(CommandLine.of(facts));
    names.addAll(env.names());
    return names.isEmpty() ? RuleResult.pass() : judge(names, facts);
  }

  private static RuleResult judge(List<String> names, Facts facts) {
    boolean lifted = facts.limits().grants("disable_default_blocks");
    return switch (facts.limits().list(LIMIT)) {
      case Reading.Absent<List<String>> _ -> new EnvironmentNames(List.of(), lifted).judge(names);
      case Reading.Malformed<List<String>> _ ->
          RuleResult.fail("The limit " + LIMIT + " is no list.");
      case Reading.Present<List<String>>(List<String> owner) ->
          new EnvironmentNames(owner, lifted).judge(names);
    };
  }

  private RuleResult judge(List<String> names) {
    for (String name : names) {
      if (isBlocked(name.toLowerCase(Locale.ROOT))) {
        return RuleResult.fail("The environment variable " + Excerpt.of(name) + " may not be set.");
      }
    }
    return RuleResult.pass();
  }

  private boolean isBlocked(String name) {
    return exact.contains(name) || prefixes.stream().anyMatch(name::startsWith);
  }

  private void add(String entry) {
    if (entry.endsWith("*")) {
      prefixes.add(entry.substring(0, entry.length() - 1));
    } else {
      exact.add(entry);
    }
  }

  /** Returns the names assigned before the program, also after {@code env} and similar programs. */
  private static List<String> assigned(CommandLine line) {
    var names = new ArrayList<String>();
    for (Segment segment : line.all()) {
      for (String word : segment.words().subList(0, segment.commandIndex())) {
        if (CommandWords.isAssignment(word)) {
          names.add(word.substring(0, word.indexOf('=')));
        }
      }
    }
    return names;
  }
}
