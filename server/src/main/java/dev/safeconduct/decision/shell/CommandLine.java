package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;

/**
 * The command of one decision, lexed once: its own segments, and segments inside words that another
 * shell may run.
 */
final class CommandLine {
  /** Why a line is denied that is {@link #tooLarge()}: nothing looks into the rest of it. */
  static final String TOO_LARGE = "The line holds more than 1024 commands or 4096 words.";

  private static final int DEEPEST = 5;
  private static final int MOST_SEGMENTS = 1024;
  private static final int MOST_WORDS = 4096;

  private final List<Segment> topLevel;
  private final List<Segment> all;
  private final List<Segment> throughShells;
  private final String text;
  private int words;

  private CommandLine(String command, List<String> args) {
    List<Segment> segments = CommandLexer.lex(command);
    topLevel = args.isEmpty() ? segments : withArgs(segments, args);
    topLevel.forEach(segment -> words += segment.words().size());
    all = new ArrayList<>(topLevel);
    throughShells = new ArrayList<>(topLevel);
    unfold();
    text = Folding.fold(args.isEmpty() ? command : command + " " + String.join(" ", args));
  }

  static CommandLine of(String command, List<String> args) {
    return new CommandLine(command, args);
  }

  static CommandLine of(Facts facts) {
    return facts.once(
        "shell.command",
        () ->
            of(
                facts.context().text("command"),
                facts.context().array("args").map(JsonArray::texts).orElse(List.of())));
  }

  /** The segments of the line itself, the args at the end of the last. */
  List<Segment> topLevel() {
    return topLevel;
  }

  /** The top-level segments and, to a depth of five, those found inside words. */
  List<Segment> all() {
    return all;
  }

  /** The segments that the line itself or a shell named in it runs for certain. */
  List<Segment> throughShells() {
    return throughShells;
  }

  /** Whether the segments, or their words, are more than one decision judges. */
  boolean tooLarge() {
    return all.size() > MOST_SEGMENTS || words > MOST_WORDS;
  }

  /** Command and args, folded (T1 of validators section 4.3). */
  String text() {
    return text;
  }

  private static List<Segment> withArgs(List<Segment> segments, List<String> args) {
    var extended = new ArrayList<Segment>(segments);
    if (extended.isEmpty()) {
      extended.add(Segment.of(List.copyOf(args), 0));
    } else {
      Segment last = extended.removeLast();
      var words = new ArrayList<String>(last.words());
      words.addAll(args);
      extended.add(Segment.of(words, last.pipeline()));
    }
    return extended;
  }

  private void unfold() {
    List<Segment> certain = topLevel;
    List<Segment> possible = List.of();
    for (int depth = 0;
        depth < DEEPEST && !tooLarge() && !(certain.isEmpty() && possible.isEmpty());
        depth++) {
      var nextCertain = new ArrayList<Segment>();
      var nextPossible = new ArrayList<Segment>();
      for (Segment segment : certain) {
        unfold(segment, runsItsWords(segment) ? nextCertain : nextPossible);
      }
      for (Segment segment : possible) {
        unfold(segment, nextPossible);
      }
      throughShells.addAll(nextCertain);
      certain = nextCertain;
      possible = nextPossible;
    }
  }

  private void unfold(Segment segment, List<Segment> found) {
    for (String word : segment.words()) {
      if (isCompound(word) && !tooLarge()) {
        int next = all.isEmpty() ? 0 : all.getLast().pipeline() + 1;
        List<Segment> inner = CommandLexer.lex(word, next);
        boolean same =
            inner.size() == 1
                && inner.getFirst().words().size() == 1
                && inner.getFirst().words().getFirst().equals(word);
        if (!same) {
          found.addAll(inner);
          all.addAll(inner);
          inner.forEach(each -> words += each.words().size());
        }
      }
    }
  }

  private static boolean runsItsWords(Segment segment) {
    return CommandWords.isShell(segment.commandWord()) || segment.commandWord().equals("eval");
  }

  private static boolean isCompound(String word) {
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      if (Folding.isWhiteSpace(c)) {
        return true;
      }
      switch (c) {
        case ';', '&', '|', '(', ')', '`' -> {
          return true;
        }
        default -> {}
      }
    }
    return false;
  }
}
