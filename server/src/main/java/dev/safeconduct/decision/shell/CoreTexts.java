package dev.safeconduct.decision.shell;

import java.util.List;

/** The CORE patterns on the folded text of the whole command (K5, K6, K8). */
final class CoreTexts {
  private static final List<String> SOCKETS = List.of("/dev/tcp/", "/dev/udp/");
  private static final String BRACKETS = "()";
  private static final String FUNCTION = "function";

  private CoreTexts() {}

  /** K5: a redirection into a disk, memory or port. */
  static boolean writesDevice(String text) {
    for (int at = text.indexOf('>'); at >= 0; at = text.indexOf('>', at + 1)) {
      int path = text.startsWith(" ", at + 1) ? at + 2 : at + 1;
      if (Redirections.namesDevice(text, path)) {
        return true;
      }
    }
    return false;
  }

  /** K6: a function of any name that calls itself twice in the background. */
  static boolean forksForever(String text) {
    if (text.indexOf('{') < 0 && text.indexOf('(') < 0) {
      return false;
    }
    String dense = text.replace(" ", "");
    if (dense.contains("fork()")) {
      return true;
    }
    for (int brace = dense.indexOf('{'); brace >= 0; brace = dense.indexOf('{', brace + 1)) {
      int start = brace + 1;
      int end = start;
      while (end < dense.length() && isNameCharacter(dense.codePointAt(end))) {
        end += Character.charCount(dense.codePointAt(end));
      }
      int length = end - start;
      if (length > 0
          && defines(dense, brace, dense.substring(start, end))
          && dense.startsWith("|", end)
          && dense.regionMatches(end + 1, dense, start, length)
          && dense.startsWith("&}", end + 1 + length)) {
        return true;
      }
    }
    return false;
  }

  private static boolean defines(String text, int brace, String name) {
    return text.startsWith(name + BRACKETS, brace - name.length() - BRACKETS.length())
        || text.startsWith(FUNCTION + name, brace - name.length() - FUNCTION.length());
  }

  /** K8, the part without a program: the shell's own sockets, however the path is spelled. */
  static boolean opensSocket(String text) {
    if (!text.contains("/dev")) {
      return false;
    }
    var plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      boolean afterSlash = !plain.isEmpty() && plain.charAt(plain.length() - 1) == '/';
      if (afterSlash && text.startsWith("./", i)) {
        i++;
      } else if (!afterSlash || text.charAt(i) != '/') {
        plain.append(text.charAt(i));
      }
    }
    return SOCKETS.stream().anyMatch(socket -> plain.indexOf(socket) >= 0);
  }

  /** Whether the text occurs as a whole word. */
  static boolean hasWord(String text, String sought) {
    for (int at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
      if (at == 0 || !isWordCharacter(text.charAt(at - 1))) {
        return true;
      }
    }
    return false;
  }

  /** What a regular expression's {@code \w} matches. */
  static boolean isWordCharacter(char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  private static boolean isNameCharacter(int c) {
    return c == '_' || c == ':' || c == '.' || Character.isLetterOrDigit(c);
  }
}
