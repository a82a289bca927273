package dev.safeconduct.decision.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A line for a shell that is not of the sh family: letters, digits and a few more characters. */
final class PlainLine {
  private PlainLine() {}

  static ClosedLine read(String command, List<String> args) {
    int place = firstOther(command);
    if (place >= 0) {
      return ClosedLine.outside(
          "for a shell that is not sh, bash, dash or zsh, the character "
              + ClosedLexer.shown(command, place));
    }
    for (int i = 0; i < args.size(); i++) {
      if (firstOther(args.get(i)) >= 0) {
        return ClosedLine.outside(
            "for a shell that is not sh, bash, dash or zsh, a character of args[" + i + "]");
      }
    }
    var words = new ArrayList<Word>();
    for (String word : command.split(" ", -1)) {
      if (!word.isEmpty()) {
        words.add(Word.literal(word));
      }
    }
    if (words.isEmpty() || !SimpleCommand.isCommandWord(words.getFirst().text())) {
      return ClosedLine.outside("a line that does not begin with the name of a command");
    }
    return new ClosedLine(List.of(new SimpleCommand(words, List.of())), false, Optional.empty());
  }

  private static int firstOther(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!CommandWords.isLetter(c) && !CommandWords.isDigit(c) && " _./:+=,-".indexOf(c) < 0) {
        return i;
      }
    }
    return -1;
  }
}
