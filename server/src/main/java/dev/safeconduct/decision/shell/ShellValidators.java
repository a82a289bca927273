package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.decision.Validator;
import dev.safeconduct.text.Excerpt;
import java.util.Map;
import java.util.Optional;

/** The rules about command lines (pack catalogue 1, validators section 4). */
public final class ShellValidators {
  private static final Map<String, Validator> ALL =
      Map.of(
          "validateCommandAllowlist", CommandAllowlist::first,
          "validateBlockedPatterns", ShellValidators::blockedPatterns,
          "validateChainedCommands", CommandAllowlist::chained,
          "validateEnvironmentVariables", EnvironmentNames::check);

  private ShellValidators() {}

  public static Map<String, Validator> all() {
    return ALL;
  }

  private static RuleResult blockedPatterns(Facts facts) {
    CommandLine line = CommandLine.of(facts);
    if (line.tooLarge()) {
      return RuleResult.never(CommandLine.TOO_LARGE);
    }
    String cwd = facts.context().text("cwd");
    Optional<String> core = CorePatterns.find(line, cwd);
    if (core.isPresent()) {
      return RuleResult.fail("The command " + core.get() + ", which no passport allows.");
    }
    Limits limits = facts.limits();
    if (limits.list(BlockedTexts.LIMIT) instanceof Reading.Malformed) {
      return RuleResult.fail("The limit blocked_patterns is not a list.");
    }
    boolean lifted = limits.grants("disable_default_blocks");
    Optional<String> text = limits.compiled("shell.texts", BlockedTexts::of).find(line);
    if (text.isPresent()) {
      return RuleResult.fail("The command holds the blocked text " + Excerpt.of(text.get()) + ".");
    }
    return lifted ? RuleResult.pass() : byDefault(line, facts);
  }

  private static RuleResult byDefault(CommandLine line, Facts facts) {
    return new SensitivePaths(CommandPaths.opened(facts.limits()), facts.context().text("cwd"))
        .find(line)
        .map(path ->
            RuleResult.fail("The command names the sensitive path " + Excerpt.of(path) + "."))
        .orElseGet(() -> besideTheList(facts));
  }

  /** What a listed command may not do; without a list, every command may. */
  private static RuleResult besideTheList(Facts facts) {
    if (!CommandAllowlist.of(facts.limits()).admitsAny()) {
      for (SimpleCommand command : ClosedLine.of(facts).commands()) {
        Optional<String> option = ToolOptions.find(command);
        if (option.isPresent()) {
          return RuleResult.byList(
              "With "
                  + Excerpt.of(option.get())
                  + ", "
                  + command.program()
                  + " runs programs or changes files beside the list.");
        }
      }
    }
    return RuleResult.pass();
  }
}
