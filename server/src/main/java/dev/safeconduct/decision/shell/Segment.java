package dev.safeconduct.decision.shell;

import dev.safeconduct.text.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One simple command of a line, by the tolerant reading.
 *
 * @param pipeline the number of the pipeline; its segments are connected by pipes
 * @param commandIndex the index of the word that names the program
 * @param commandWord that word's base; empty if there is no such word
 */
record Segment(List<String> words, int pipeline, int commandIndex, String commandWord) {
  private static final Set<String> RESERVED =
      Set.of(
          "!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "esac",
          "coproc");

  static Segment of(List<String> words, int pipeline) {
    int index = commandIndex(words);
    String command = index < words.size() ? CommandWords.base(words.get(index)) : "";
    return new Segment(words, pipeline, index, command);
  }

  String text() {
    return String.join(" ", words);
  }

  /** The operands of the command word. */
  List<String> operands() {
    return CommandWords.operands(words, commandIndex);
  }

  /** The names of the variables that are set before the command runs, or by it. */
  List<String> assigned() {
    var names = new ArrayList<String>();
    boolean anyName = false; // env and sudo set BASH_FUNC_ls%% and A-B, too
    for (String word : words.subList(0, commandIndex)) {
      int equals = word.indexOf('=');
      CommandWords.assigned(word).ifPresent(names::add);
      if (anyName && equals > 0) {
        names.addAll(named(word));
      }
      anyName |= Wrapper.assigns(word);
    }
    switch (commandWord) {
      case "export", "declare", "typeset", "readonly", "local" ->
          operands().forEach(word -> CommandWords.assigned(word).ifPresent(names::add));
      default -> {}
    }
    return names;
  }

  /** The names before each {@code =}: env -S takes several assignments as one word. */
  private static List<String> named(String text) {
    var names = new ArrayList<String>();
    for (String word : Words.list(text.replaceAll("[\"']", ""))) {
      String each = word.startsWith("--") ? word.substring(word.indexOf('=') + 1) : word;
      int equals = each.indexOf('=');
      int last = each.startsWith("-") ? equals : Math.min(equals, 1); // -iSPATH=x
      for (int from = each.startsWith("-") ? 2 : 0; from < last; from++) {
        names.add(each.substring(from, equals));
      }
    }
    return names;
  }

  private static int commandIndex(List<String> words) {
    int i = 0;
    while (i < words.size()) {
      String word = words.get(i);
      int redirected = Redirections.length(words, i);
      if (redirected > 0) {
        i += redirected;
      } else if (CommandWords.assigned(word).isPresent() || RESERVED.contains(word)) {
        i++;
      } else if (word.equals("function")) {
        i += 2;
      } else if (Wrapper.isWrapper(word)) {
        i = Wrapper.endOpen(words, i);
      } else {
        break;
      }
    }
    return Math.min(i, words.size());
  }
}
