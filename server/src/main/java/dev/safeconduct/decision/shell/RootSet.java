package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.text.Words;
import java.util.List;
import java.util.Set;

/** The directories whose removal destroys a machine or a home (validators section 4.4). */
final class RootSet {
  private static final Set<String> DIRECTORIES =
      Words.set(
          """
          / /bin /boot /dev /etc /home /lib /lib32 /lib64 /opt /proc /root /sbin /srv /sys /usr
          /var /System /Library /Applications /Users
          """);

  /** The working directory, absolute and normalised; empty if it is not known. */
  private final String cwd;

  RootSet(String cwd) {
    this.cwd = LexicalPath.isAbsolute(cwd) ? LexicalPath.normalise(cwd) : "";
  }

  boolean contains(String operand) {
    if (operand.isEmpty()) {
      return false;
    }
    return switch (operand.charAt(0)) {
      case '/' -> isRoot(operand);
      case '~' -> isEnd(operand, endOfUser(operand));
      case '$' -> isHome(operand);
      default -> !cwd.isEmpty() && operand.contains("..") && isRoot(cwd + "/" + operand);
    };
  }

  boolean containsAny(List<String> operands) {
    return operands.stream().anyMatch(this::contains);
  }

  private static boolean isRoot(String path) {
    String directory = LexicalPath.normalise(withoutEnd(path));
    return DIRECTORIES.contains(directory)
        || (directory.lastIndexOf('/') == 0 && holdsWildcard(directory));
  }

  private static boolean holdsWildcard(String path) {
    return path.chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '{');
  }

  private static int endOfUser(String operand) {
    int end = 1;
    while (end < operand.length() && isUserCharacter(operand.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isUserCharacter(char c) {
    return CommandWords.isName(c, 1) || c == '.' || c == '-' || c == '+';
  }

  private static boolean isHome(String operand) {
    if (operand.startsWith("${HOME")) {
      int end = operand.indexOf('}') + 1;
      return end > 0 && isEnd(operand, end);
    }
    return operand.startsWith("$HOME") && isEnd(operand, "$HOME".length());
  }

  /** Drops trailing slashes, each with or without a star. The result begins with a slash. */
  private static String withoutEnd(String operand) {
    int end = operand.length();
    while (true) {
      if (end > 0 && operand.charAt(end - 1) == '/') {
        end--;
      } else if (operand.startsWith("/*", end - 2)) {
        end -= 2;
      } else {
        return end == 0 ? "/" : operand.substring(0, end);
      }
    }
  }

  /** Whether the rest consists only of slashes and, after a slash, an optional star. */
  private static boolean isEnd(String operand, int start) {
    int i = start;
    while (i < operand.length() && operand.charAt(i) == '/') {
      i++;
    }
    boolean star = i > start && i < operand.length() && operand.charAt(i) == '*';
    return i + (star ? 1 : 0) == operand.length();
  }
}
