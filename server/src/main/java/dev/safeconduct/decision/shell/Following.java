package dev.safeconduct.decision.shell;

import java.util.List;
import java.util.Set;

/**
 * The flags and operands that follow one word of a segment. It reads the segment from end to start,
 * so that all words need only one pass.
 */
final class Following {
  private static final Set<String> EVERYTHING = Set.of("*", ".", "./", "./*");

  private final List<String> words;
  private final RootSet rootSet;
  private boolean recursive;
  private boolean capitalRecursive;
  private boolean forced;
  private boolean rootUnguarded;
  private int firstOperand;
  private int roots;
  private int inputFile;
  private boolean everything;

  Following(List<String> words, RootSet rootSet) {
    this.words = words;
    this.rootSet = rootSet;
    firstOperand = words.size();
    inputFile = words.size();
  }

  /** Adds the word at this index to the following words. Call it from the last to the first. */
  void include(int place) {
    String word = words.get(place);
    if (word.equals("--")) {
      recursive = false;
      capitalRecursive = false;
      forced = false;
      rootUnguarded = false;
      firstOperand = place + 1;
    } else if (CommandWords.isFlag(word)) {
      boolean spelled = CommandWords.means(word, "recursive");
      capitalRecursive |= spelled || CommandWords.hasShort(word, 'R');
      recursive |= spelled || CommandWords.hasShort(word, 'r') || CommandWords.hasShort(word, 'R');
      forced |= CommandWords.means(word, "force") || CommandWords.hasShort(word, 'f');
      rootUnguarded |= CommandWords.means(word, "no-preserve-root");
    } else {
      firstOperand = place;
      roots += rootSet.contains(word) ? 1 : 0;
      everything |= EVERYTHING.contains(word);
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

  /** Whether an operand is the working directory or all in it. */
  boolean hasEverything() {
    return everything;
  }

  /** Whether an operand after the first is a root. */
  boolean hasRootAfterFirst() {
    return roots > (rootSet.contains(firstOperand()) ? 1 : 0);
  }

  /** The next word that starts with {@code if=}; empty when there is none. */
  String inputFile() {
    return inputFile < words.size() ? words.get(inputFile) : "";
  }
}
