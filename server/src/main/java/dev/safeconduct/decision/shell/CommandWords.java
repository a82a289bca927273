package dev.safeconduct.decision.shell;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Classifies the words of a segment (validators section 4.2). */
final class CommandWords {
  static final Set<String> SHELLS = Set.of("sh", "bash", "zsh", "dash", "ksh", "ash", "fish");

  /** Programs that run the command written after them. */
  private static final Set<String> WRAPPERS =
      Set.of(
          "sudo", "doas", "env", "nohup", "time", "command", "exec", "xargs", "nice", "ionice",
          "setsid", "busybox", "stdbuf", "builtin");

  private CommandWords() {}

  /** The text after the last slash, in lower case. */
  static String base(String word) {
    return word.substring(word.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
  }

  /** Returns the index of the program's name, or the number of words if there is no program. */
  static int commandIndex(List<String> words) {
    int i = 0;
    while (i < words.size() && isAssignment(words.get(i))) {
      i++;
    }
    while (i < words.size() && WRAPPERS.contains(base(words.get(i)))) {
      i++;
      while (i < words.size() && (words.get(i).startsWith("-") || isAssignment(words.get(i)))) {
        i++;
      }
    }
    return i;
  }

  /** Whether the word is {@code NAME=…}. */
  static boolean isAssignment(String word) {
    int equals = word.indexOf('=');
    return equals > 0 && isName(word, equals);
  }

  /** Whether the first characters are a variable's name: ASCII letters, digits, {@code _}. */
  static boolean isName(String text, int length) {
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      boolean letter = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && (i == 0 || c < '0' || c > '9')) {
        return false;
      }
    }
    return length > 0;
  }

  /** Whether the word is a flag; {@code --} is not a flag because it only ends the flags. */
  static boolean isFlag(String word) {
    return word.length() > 1 && word.charAt(0) == '-' && !word.equals("--");
  }

  /** Whether the flag is a short cluster, such as {@code -rf}, with this letter. */
  static boolean hasShort(String flag, char letter) {
    return flag.charAt(1) != '-' && flag.indexOf(letter, 1) > 0;
  }
}
