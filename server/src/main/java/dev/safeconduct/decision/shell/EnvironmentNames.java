package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
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
import java.util.stream.Stream;

/** {@code validateEnvironmentVariables} (validators section 4.6). */
final class EnvironmentNames {
  private static final String LIMIT = "blocked_env_vars";

  /** Names by which another program runs, or is loaded or read. */
  private static final String ALWAYS =
      """
      path ifs env bash_env bash_func_* shellopts bashopts prompt_command ps0 ps4 zdotdir ld_* dyld_*
      gconv_path node_options pythonpath pythonhome pythonstartup perl5opt perl5lib perl5db rubyopt
      rubylib java_tool_options _java_options jdk_java_options git_ssh git_ssh_command
      git_external_diff git_config* git_exec_path git_proxy_command git_askpass ssh_askpass
      sudo_askpass lessopen lessclose
      """;

  /** Names by which a listed program runs, loads or reads another. */
  private static final String WITH_LIST =
      """
      home shell cdpath fpath ps1 ps2 inputrc locpath openssl_conf sslkeylogfile editor visual pager
      manpager browser less rsync_rsh tar_options curl_home wgetrc xdg_config_home xdg_config_dirs
      node_path npm_config_* pythonuserbase pythoninspect pythonbreakpoint perllib phprc
      php_ini_scan_dir lua_init classpath maven_opts maven_args gradle_opts makeflags rustc
      rustc_wrapper rustc_workspace_wrapper cargo_build_rustc* cc cxx goflags docker_host
      docker_config kubeconfig
      """;

  private static final Names BUILT_IN = new Names(words(ALWAYS));
  private static final Names BUILT_IN_WITH_LIST = new Names(words(WITH_LIST));

  /** Names, some with any ending. */
  private static final class Names {
    private final Set<String> exact = new HashSet<>();
    private final List<String> prefixes = new ArrayList<>();

    Names(Stream<String> entries) {
      entries.forEach(entry -> {
        if (entry.endsWith("*")) {
          prefixes.add(entry.substring(0, entry.length() - 1));
        } else {
          exact.add(entry);
        }
      });
    }

    boolean include(String name) {
      if (exact.contains(name)) {
        return true;
      }
      for (String prefix : prefixes) {
        if (name.startsWith(prefix)) {
          return true;
        }
      }
      return false;
    }
  }

  private final Reading<List<String>> limit;
  private final Names owner;
  private final boolean lifted;
  private final boolean listed;

  private EnvironmentNames(Limits limits) {
    limit = limits.list(LIMIT);
    owner =
        new Names(
            limit instanceof Reading.Present<List<String>>(List<String> entries)
                ? entries.stream().map(Folding::blockKey)
                : Stream.of());
    lifted = limits.grants("disable_default_blocks");
    listed = !CommandAllowlist.of(limits).admitsAny();
  }

  private static Stream<String> words(String lines) {
    return Stream.of(lines.strip().split("\\s+"));
  }

  static RuleResult check(Facts facts) {
    JsonObject env = facts.context().child("env");
    for (String name : env.names()) {
      if (!CommandWords.isName(name)) {
        return RuleResult.fail(
            Excerpt.of(name) + " is not a valid name of an environment variable.");
      }
      if (env.text(name).indexOf('\0') >= 0) {
        return RuleResult.fail("The value of " + Excerpt.of(name) + " holds U+0000.");
      }
    }
    var names = new ArrayList<String>(env.names());
    CommandLine.of(facts).all().forEach(segment -> names.addAll(segment.assigned()));
    if (!CommandAllowlist.of(facts.limits()).admitsAny()) {
      ClosedLine.of(facts).commands().forEach(command -> names.addAll(command.filled()));
    }
    return names.isEmpty()
        ? RuleResult.pass()
        : facts.limits().compiled("shell.environment", EnvironmentNames::new).judge(names);
  }

  private RuleResult judge(List<String> names) {
    if (limit instanceof Reading.Malformed) {
      return RuleResult.fail("The limit " + LIMIT + " is not a list.");
    }
    String byList = null;
    for (String name : names) {
      String lower = name.toLowerCase(Locale.ROOT);
      if (isBlocked(lower)) {
        return RuleResult.fail(refusal(name));
      }
      if (byList == null && isBlockedByList(lower)) {
        byList = name;
      }
    }
    return byList == null ? RuleResult.pass() : RuleResult.byList(refusal(byList));
  }

  private static String refusal(String name) {
    return "The environment variable " + Excerpt.of(name) + " may not be set.";
  }

  private boolean isBlocked(String name) {
    return owner.include(name) || (!lifted && BUILT_IN.include(name));
  }

  /** Whether the variable lets a listed command run another; without a list, every one may run. */
  private boolean isBlockedByList(String name) {
    return !lifted
        && listed
        && (BUILT_IN_WITH_LIST.include(name) || (name.startsWith("git_") && !isHarmlessGit(name)));
  }

  /** All other names that begin with {@code GIT_} are blocked beside a list of commands. */
  private static boolean isHarmlessGit(String name) {
    return name.startsWith("git_author_")
        || name.startsWith("git_committer_")
        || name.equals("git_terminal_prompt");
  }
}
