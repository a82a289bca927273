package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.path.LexicalPath;
import java.util.Set;

/** The directories whose removal destroys a machine or a home (validators section 4.4). */
final class RootSet {
  private static final Set<String> DIRECTORIES =
      Set.of(
          "/",
          "/bin",
          "/boot",
          "/dev",
          "/etc",
          "/home",
          "/lib",
          "/lib32",
          "/lib64",
          "/opt",
          "/proc",
          "/root",
          "/sbin",
          "/srv",
          "/sys",
          "/usr",
          "/var",
          "/System",
          "/Library",
          "/Applications",
          "/Users");

  private RootSet() {}

  static boolean contains(String operand) {
    if (operand.isEmpty()) {
      return false;
    }
    return switch (operand.charAt(0)) {
      case '/' -> DIRECTORIES.contains(LexicalPath.normalise(withoutEnd(operand)));
      case '~' -> isEnd(operand, 1);
      case '$' -> isHome(operand);
      default -> false;
    };
  }

  private static boolean isHome(String operand) {
    for (String home : new String[] {"$HOME", "${HOME}"}) {
      if (operand.startsWith(home)) {
        return isEnd(operand, home.length());
      }
    }
    return false;
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
