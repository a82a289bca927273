package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Rules for allowed commands, alone and chained (pack catalogue 1, rules 1 and 3). */
final class CommandAllowlist {
  private static final String LIMIT = "allowed_commands";

  /** Wrappers that are words of some shells: what is no option there is run as a program. */
  private static final Set<String> OF_SHELLS =
      Set.of("command", "exec", "time", "noglob", "nocorrect");

  private static final Set<String> LOOKUP = Set.of("-p", "-v", "-V", "--");

  private final boolean absent;
  private final boolean any;
  private final List<String> entries = new ArrayList<>();

  private CommandAllowlist(Limits limits) {
    Reading<List<String>> limit = limits.list(LIMIT);
    List<String> list =
        limit instanceof Reading.Present<List<String>>(List<String> some) ? some : List.of();
    absent = !(limit instanceof Reading.Present);
    any = list.contains("*");
    for (String entry : list) {
      String text = collapse(Folding.trim(entry));
      if (!text.isEmpty() && !text.equals("*")) {
        entries.add(text);
      }
    }
  }

  static CommandAllowlist of(Limits limits) {
    return limits.compiled("shell.allowed", CommandAllowlist::new);
  }

  /** Whether the list holds {@code *}, so that every command may run. */
  boolean admitsAny() {
    return any;
  }

  /** Rule 1: the line is closed, and its first command is on the list. */
  static RuleResult first(Facts facts) {
    CommandLine line = CommandLine.of(facts);
    if (line.topLevel().isEmpty()) {
      return RuleResult.never("The line holds no command.");
    }
    if (line.tooLarge()) {
      return RuleResult.never(CommandLine.TOO_LARGE);
    }
    return OutputFiles.orNever(firstListed(facts), line, facts);
  }

  private static RuleResult firstListed(Facts facts) {
    CommandAllowlist allowed = of(facts.limits());
    if (allowed.absent) {
      return RuleResult.fail("The passport sets no list of " + LIMIT + ".");
    }
    if (allowed.any) {
      return RuleResult.pass();
    }
    ClosedLine closed = ClosedLine.of(facts);
    if (closed.fault().isPresent()) {
      return RuleResult.fail(
          "The line cannot be read in one way only, as a list of commands requires: it holds "
              + closed.fault().get()
              + ".");
    }
    return allowed.listed(closed.commands().getFirst());
  }

  /** Rule 3: so are the others, the commands behind wrappers, and the files that are written. */
  static RuleResult chained(Facts facts) {
    CommandAllowlist allowed = of(facts.limits());
    if (allowed.any) {
      return RuleResult.pass();
    }
    CommandLine line = CommandLine.of(facts);
    return line.tooLarge()
        ? RuleResult.never(CommandLine.TOO_LARGE)
        : OutputFiles.orNever(allowed.listed(facts), line, facts);
  }

  private RuleResult listed(Facts facts) {
    ClosedLine closed = ClosedLine.of(facts);
    if (closed.fault().isPresent()) {
      return RuleResult.fail("The line holds " + closed.fault().get() + ".");
    }
    if (OutputFiles.protectedOf(closed, facts) instanceof RuleResult.Fail fail) {
      return fail;
    }
    for (SimpleCommand command : closed.commands()) {
      if (listed(command) instanceof RuleResult.Fail fail) {
        return fail;
      }
    }
    for (SimpleCommand command : closed.commands()) {
      Optional<String> fault = behindWrappers(command);
      if (fault.isPresent()) {
        return RuleResult.fail(fault.get());
      }
    }
    return OutputFiles.check(closed, facts);
  }

  private RuleResult listed(SimpleCommand command) {
    String text = collapse(command.text());
    return covered(text) > 0 ? RuleResult.pass() : RuleResult.fail(unlisted(text));
  }

  private static String unlisted(String text) {
    return "The command " + Excerpt.of(text) + " is not in " + LIMIT + ".";
  }

  /** Returns the length of the longest entry that admits the text; 0 without one. */
  private int covered(String text) {
    int longest = 0;
    for (String entry : entries) {
      if (entry.length() > longest
          && text.startsWith(entry)
          && (text.length() == entry.length() || text.charAt(entry.length()) == ' ')) {
        longest = entry.length();
      }
    }
    return longest;
  }

  /**
   * Checks that each program of the simple command is on the list: a wrapper, the wrapper behind
   * it, and the command. An entry that goes on behind a wrapper covers what it names.
   */
  private Optional<String> behindWrappers(SimpleCommand command) {
    List<String> words = command.words();
    List<Integer> starts = command.starts();
    int program = command.commandIndex();
    if (!Wrapper.isWrapper(words.getFirst())) {
      return Optional.empty();
    }
    if (program < words.size() && !SimpleCommand.isCommandWord(words.get(program))) {
      return Optional.of(Excerpt.of(words.get(program)) + " is not a valid name of a command.");
    }
    String whole = collapse(command.text());
    if (entries.contains(whole)) {
      return Optional.empty();
    }
    if (program == words.size()) {
      return Optional.of("No command follows in " + Excerpt.of(whole) + ", which is no entry.");
    }
    Optional<String> hidden = hiddenCommand(command, starts);
    if (hidden.isPresent()) {
      return hidden;
    }
    int judged = 0;
    int reached = 0;
    for (int start : starts) {
      if (start > 0
          && collapse(String.join(" ", words.subList(judged, start))).length() < reached) {
        continue; // the entry of an earlier wrapper names this program too
      }
      String rest = collapse(String.join(" ", words.subList(start, words.size())));
      judged = start;
      reached = covered(rest);
      if (reached == 0) {
        return Optional.of(unlisted(rest));
      }
    }
    return Optional.empty();
  }

  /** Why a wrapper may run something else than the command that stands behind it. */
  private static Optional<String> hiddenCommand(SimpleCommand command, List<Integer> starts) {
    for (int i = 0; i + 1 < starts.size(); i++) {
      String wrapper = command.parts().get(starts.get(i)).text();
      String base = CommandWords.base(wrapper);
      List<Word> between = command.parts().subList(starts.get(i) + 1, starts.get(i + 1));
      if (OF_SHELLS.contains(wrapper) && !between.isEmpty() && !isLookup(wrapper, between)) {
        return Optional.of(
            "Shells do not agree which options "
                + wrapper
                + " has; without them it runs the same in all.");
      }
      for (Word word : between) {
        String text = word.text();
        boolean piped = base.equals("strace") && (text.indexOf('|') >= 0 || text.indexOf('!') >= 0);
        if (word.expands() || piped || Wrapper.refuses(wrapper, text)) {
          return Optional.of(
              "The word " + Excerpt.of(text) + " of " + base + " may change what it runs.");
        }
      }
      if (base.equals("xargs")) {
        List<String> replaced =
            Wrapper.replaced(command.words().subList(starts.get(i) + 1, starts.get(i + 1)));
        for (String text : command.words().subList(starts.get(i + 1), starts.getLast() + 1)) {
          if (CommandWords.base(text).equals("watch")
              || replaced.stream().anyMatch(text::contains)) {
            return Optional.of(
                "What xargs reads may change what " + Excerpt.of(text) + " is or runs.");
          }
        }
      }
      if (base.equals("watch")) {
        for (Word word : command.parts().subList(starts.get(i) + 1, command.parts().size())) {
          if (!word.text().chars().allMatch(CommandAllowlist::isPlain)) {
            return Optional.of(
                "watch hands its words to a shell, and "
                    + Excerpt.of(word.text())
                    + " holds more than letters, digits and _ . / : + = , @ % -.");
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Whether the words are an option of {@code command} that all shells know. */
  private static boolean isLookup(String wrapper, List<Word> options) {
    return wrapper.equals("command")
        && options.size() == 1
        && LOOKUP.contains(options.getFirst().text());
  }

  private static boolean isPlain(int c) {
    return CommandWords.isName((char) c, 1) || "./:+=,@%-".indexOf(c) >= 0;
  }

  /**
   * Collapses runs of spaces and tabs to one space and drops them at the ends. Other white space
   * stays: a quoted line end makes another word.
   */
  private static String collapse(String text) {
    String dense =
        text.indexOf('\t') < 0 && !text.contains("  ")
            ? text
            : String.join(" ", text.split("[ \t]+", -1));
    int start = dense.startsWith(" ") ? 1 : 0;
    return dense.substring(start, Math.max(start, dense.length() - (dense.endsWith(" ") ? 1 : 0)));
  }
}
