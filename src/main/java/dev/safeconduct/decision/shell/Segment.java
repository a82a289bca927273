package dev.safeconduct.decision.shell;

import java.util.List;

/**
 * One simple command of a line.
 *
 * @param pipeline segments with the same number feed each other
 * @param commandIndex the place of the word that names the program
 * @param commandWord that word's base; empty when there is none
 */
record Segment(List<String> words, int pipeline, int commandIndex, String commandWord) {
  static Segment of(List<String> words, int pipeline) {
    int index = Words.commandIndex(words);
    String command = index < words.size() ? Words.base(words.get(index)) : "";
    return new Segment(words, pipeline, index, command);
  }

  String text() {
    return String.join(" ", words);
  }
}
