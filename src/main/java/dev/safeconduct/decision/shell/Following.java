package dev.safeconduct.decision.shell;

import java.util.List;

/**
 * The flags and operands that follow one word of a segment. Walks the segment from its end to its
 * start, so that looking at every word costs one pass.
 */
final class Following {
  private final List<String> words;
  private boolean recursive;
  private boolean capitalRecursive;
  private boolean forced;
  private boolean rootUnguarded;
  private int firstOperand;
  private int roots;
  private int inputFile;

  Following(List<String> words) {
    this.words = words;
    firstOperand = words.size();
    inputFile = words.size();
  }

  /** Lets the word at this place count among those that follow; call it from the last to first. */
  void include(int place) {
    String word = words.get(place);
    if (word.equals("--")) {
      recursive = false;
      capitalRecursive = false;
      forced = false;
      rootUnguarded = false;
      firstOperand = place + 1;
    } else if (Words.isFlag(word)) {
      boolean spelled = word.equals("--recursive");
      capitalRecursive |= spelled || Words.hasShort(word, 'R');
      recursive |= spelled || Words.hasShort(word, 'r') || Words.hasShort(word, 'R');
      forced |= word.equals("--force") || Words.hasShort(word, 'f');
      rootUnguarded |= word.equals("--no-preserve-root");
    } else {
      firstOperand = place;
      roots += RootSet.contains(word) ? 1 : 0;
    }
    if (word.startsWith("if=")) {
      inputFile = place;
    }
  }

  /** {@code -r}, {@code -R} or {@code --recursive}. */
  boolean recursive() {
    return recursive;
  }

  /** {@code -R} or {@code --recursive}. */
  boolean capitalRecursive() {
    return capitalRecursive;
  }

  boolean forced() {
    return forced;
  }

  /** {@code --no-preserve-root}. */
  boolean rootUnguarded() {
    return rootUnguarded;
  }

  /** The first operand; empty when there is none. */
  String firstOperand() {
    return firstOperand < words.size() ? words.get(firstOperand) : "";
  }

  boolean hasRoot() {
    return roots > 0;
  }

  /** Whether an operand after the first is a root. */
  boolean hasRootAfterFirst() {
    return roots > (RootSet.contains(firstOperand()) ? 1 : 0);
  }

  /** The next word that starts with {@code if=}; empty when there is none. */
  String inputFile() {
    return inputFile < words.size() ? words.get(inputFile) : "";
  }
}
