package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;

/** Rules for allowed commands, alone and chained (pack catalogue 1, rules 1 and 3). */
final class CommandAllowlist {
  private static final String LIMIT = "allowed_commands";

  private final List<String> entries = new ArrayList<>();
  private final boolean any;

  private CommandAllowlist(List<String> list) {
    any = list.contains("*");
    for (String entry : list) {
      String text = collapse(entry);
      if (!text.isEmpty() && !text.equals("*")) {
        entries.add(text);
      }
    }
  }

  /** Rule 1: the first command of the line is on the list. */
  static RuleResult first(Facts facts) {
    if (!(facts.limits().list(LIMIT) instanceof Reading.Present<List<String>>(List<String> list))) {
      return unlimited();
    }
    List<Segment> segments = CommandLine.of(facts).topLevel();
    if (segments.isEmpty()) {
      return RuleResult.fail("The line holds no command.");
    }
    var allowed = new CommandAllowlist(list);
    return allowed.any ? RuleResult.pass() : allowed.judge(segments.subList(0, 1));
  }

  /** Rule 3: the other commands are on the list, without substitutions or unclosed quotes. */
  static RuleResult chained(Facts facts) {
    if (!(facts.limits().list(LIMIT) instanceof Reading.Present<List<String>>(List<String> list))) {
      return unlimited();
    }
    var allowed = new CommandAllowlist(list);
    if (allowed.any) {
      return RuleResult.pass();
    }
    CommandLine line = CommandLine.of(facts);
    if (line.substitution()) {
      return RuleResult.fail("The line substitutes a command; only listed commands may run.");
    }
    if (line.unbalanced()) {
      return RuleResult.fail("The line ends inside a quote.");
    }
    List<Segment> segments = line.topLevel();
    return allowed.judge(segments.subList(Math.min(1, segments.size()), segments.size()));
  }

  private static RuleResult unlimited() {
    return RuleResult.fail("The passport sets no list of " + LIMIT + ".");
  }

  private RuleResult judge(List<Segment> segments) {
    for (Segment segment : segments) {
      String text = collapse(segment.text());
      if (entries.stream().noneMatch(entry -> admits(entry, text))) {
        return RuleResult.fail("The command " + Excerpt.of(text) + " is not in " + LIMIT + ".");
      }
    }
    return RuleResult.pass();
  }

  private static boolean admits(String entry, String text) {
    return text.startsWith(entry)
        && (text.length() == entry.length() || text.charAt(entry.length()) == ' ');
  }

  /** Collapses runs of spaces and tabs to one space and trims the text. */
  private static String collapse(String text) {
    String trimmed = Folding.trim(text);
    if (trimmed.indexOf('\t') < 0 && !trimmed.contains("  ")) {
      return trimmed;
    }
    return String.join(" ", trimmed.split("[ \t]+", -1));
  }
}
