package dev.safeconduct.decision.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One simple command of a closed line: its words, and apart from them its redirections. */
record SimpleCommand(List<Word> parts, List<Redirection> redirections) {
  private static final Set<String> RESERVED =
      Set.of(
          "!",
          "{",
          "}",
          "[[",
          "if",
          "then",
          "elif",
          "else",
          "fi",
          "for",
          "while",
          "until",
          "do",
          "done",
          "case",
          "esac",
          "in",
          "select",
          "function",
          "coproc",
          "repeat",
          "foreach",
          "end");

  /**
   * A file that is opened.
   *
   * @param output whether the command writes it
   */
  record Redirection(String target, boolean output) {}

  /** The texts of the words. */
  List<String> words() {
    return parts.stream().map(Word::text).toList();
  }

  /** The number of words and targets. */
  int size() {
    return parts.size() + redirections.size();
  }

  /** Whether the text can name a program and nothing else. */
  static boolean isCommandWord(String text) {
    return !text.isEmpty()
        && !RESERVED.contains(text)
        && text.chars()
            .allMatch(c -> CommandWords.isName((char) c, 1) || "./-+@%,:".indexOf(c) >= 0);
  }

  /**
   * The indexes of the words that start a program: the wrappers, and the command behind them if
   * there is one.
   */
  List<Integer> starts() {
    List<String> words = words();
    var starts = new ArrayList<Integer>();
    int i = 0;
    while (i < words.size() && Wrapper.isWrapper(words.get(i))) {
      starts.add(i);
      i = Wrapper.endClosed(words, i);
    }
    if (i < words.size()) {
      starts.add(i);
    }
    return starts;
  }

  /** The index of the command behind wrappers; the number of words if there is none. */
  int commandIndex() {
    int last = starts().getLast();
    return Wrapper.isWrapper(parts.get(last).text()) ? parts.size() : last;
  }

  /** The base of the command behind wrappers; empty if there is none. */
  String program() {
    int index = commandIndex();
    return index < parts.size() ? CommandWords.base(parts.get(index).text()) : "";
  }

  /** The words behind the command. */
  List<String> arguments() {
    return words().subList(Math.min(commandIndex() + 1, parts.size()), parts.size());
  }

  /** Whether a word behind the command may be evaluated by a shell's own command. */
  boolean evaluates() {
    return arguments().stream().anyMatch(word -> word.chars().anyMatch(c -> "[$`".indexOf(c) >= 0));
  }
}
