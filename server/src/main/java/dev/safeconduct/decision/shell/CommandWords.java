package dev.safeconduct.decision.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What a single word means (validators sections 4.2 and 4.4). */
final class CommandWords {
  private static final Set<String> SHELLS =
      Set.of("sh", "bash", "zsh", "dash", "ksh", "ash", "fish");
  private static final Set<String> INTERPRETERS =
      Set.of("python", "python2", "python3", "perl", "ruby", "node", "php", "pwsh", "powershell");

  private CommandWords() {}

  /** The text after the last slash, in lower case. */
  static String base(String word) {
    return word.substring(word.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
  }

  /** Whether the base names a shell, with or without a version: {@code bash-5.2}. */
  static boolean isShell(String base) {
    return SHELLS.contains(base) || SHELLS.contains(withoutVersion(base));
  }

  /** Whether the base names a shell or another program that runs the text it reads. */
  static boolean isInterpreter(String base) {
    return isShell(base)
        || INTERPRETERS.contains(base)
        || INTERPRETERS.contains(withoutVersion(base));
  }

  private static String withoutVersion(String base) {
    int start = base.length();
    while (start > 0 && (base.charAt(start - 1) == '.' || isDigit(base.charAt(start - 1)))) {
      start--;
    }
    if (start == base.length() || !isDigit(base.charAt(start))) {
      return base;
    }
    return base.substring(0, start > 0 && base.charAt(start - 1) == '-' ? start - 1 : start);
  }

  /** The name that the word assigns to: {@code NAME=…}, {@code NAME+=…}, {@code NAME[…]=…}. */
  static Optional<String> assigned(String word) {
    int end = 0;
    while (end < word.length() && isName(word.charAt(end), end)) {
      end++;
    }
    if (end == 0) {
      return Optional.empty();
    }
    boolean assigns =
        word.startsWith("=", end)
            || word.startsWith("+=", end)
            || (word.startsWith("[", end)
                && (word.indexOf("]=", end) > 0 || word.indexOf("]+=", end) > 0));
    return assigns ? Optional.of(word.substring(0, end)) : Optional.empty();
  }

  /** Whether the text is a variable's name: ASCII letters, digits, {@code _}. */
  static boolean isName(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isName(text.charAt(i), i)) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** Whether the character may stand at this place of a variable's name. */
  static boolean isName(char c, int place) {
    return c == '_' || isLetter(c) || (place > 0 && isDigit(c));
  }

  static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Whether the word is a flag; {@code --} is not a flag because it only ends the flags. */
  static boolean isFlag(String word) {
    return word.length() > 1 && word.charAt(0) == '-' && !word.equals("--");
  }

  /** Whether the flag is a short cluster, such as {@code -rf}, with this letter. */
  static boolean hasShort(String flag, char letter) {
    return flag.charAt(1) != '-' && flag.indexOf(letter, 1) > 0;
  }

  /**
   * Whether the word is a short cluster in which one of the letters stands before or at the first
   * letter that takes a value.
   */
  static boolean hasShort(String word, String letters, String valued) {
    if (word.length() < 2 || word.charAt(0) != '-' || word.charAt(1) == '-') {
      return false;
    }
    for (int i = 1; i < word.length(); i++) {
      if (letters.indexOf(word.charAt(i)) >= 0) {
        return true;
      }
      if (valued.indexOf(word.charAt(i)) >= 0) {
        return false;
      }
    }
    return false;
  }

  /** Whether the word means the long option: abbreviated or whole, with or without a value. */
  static boolean means(String word, String option) {
    if (word.length() < 3 || !word.startsWith("--")) {
      return false;
    }
    int equals = word.indexOf('=');
    int end = equals < 0 ? word.length() : equals;
    return end > 2 && end - 2 <= option.length() && word.regionMatches(2, option, 0, end - 2);
  }

  /** Whether the word means one of the long options. */
  static boolean meansAny(String word, List<String> options) {
    if (word.startsWith("--")) {
      for (String option : options) {
        if (means(word, option)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The words after this one that are no flags; after {@code --} all. */
  static List<String> operands(List<String> words, int after) {
    var operands = new ArrayList<String>();
    boolean flags = true;
    for (String word : words.subList(Math.min(after + 1, words.size()), words.size())) {
      if (flags && word.equals("--")) {
        flags = false;
      } else if (!flags || !isFlag(word)) {
        operands.add(word);
      }
    }
    return operands;
  }
}
