package dev.safeconduct.decision.shell;

import java.util.List;

/**
 * One simple command of a line.
 *
 * @param pipeline the number of the pipeline; its segments are connected by pipes
 * @param commandIndex the index of the word that names the program
 * @param commandWord that word's base; empty if there is no such word
 */
record Segment(List<String> words, int pipeline, int commandIndex, String commandWord) {
  static Segment of(List<String> words, int pipeline) {
    int index = CommandWords.commandIndex(words);
    String command = index < words.size() ? CommandWords.base(words.get(index)) : "";
    return new Segment(words, pipeline, index, command);
  }

  String text() {
    return String.join(" ", words);
  }
}
