package dev.safeconduct.hook;

import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Paths of files in hook events, as texts: the files are on the agent's machine. */
final class FilePaths {
  private static final String WILDCARDS = "*?[{!(";

  /** A root, an address, or what an agent may cut off before it finds one of them. */
  private static final Pattern NOT_RELATIVE =
      Pattern.compile("^(?:[/~\\\\]|.:|[A-Za-z][A-Za-z0-9+.-]*:/|[\\s\\p{Z}\\p{C}])");

  /** A root of Windows; else a backslash says that the next character is no wildcard. */
  private static final Pattern ON_WINDOWS =
      Pattern.compile("^[\\s\\p{Z}\\p{C}]*(?:[A-Za-z]:|~?\\\\[^\\[\\](){}*?!,])");

  private FilePaths() {}

  private static boolean isRelative(String path) {
    return !NOT_RELATIVE.matcher(path).find();
  }

  /** Returns the path, made absolute against the directory if it is relative. */
  static String absolute(String path, Optional<String> directory) {
    return isRelative(path) && directory.isPresent()
        ? withoutEnd(directory.get(), "/") + "/" + path
        : path;
  }

  /** Returns the text without those of these characters that it ends with. */
  static String withoutEnd(String text, String characters) {
    int end = text.length();
    while (end > 0 && characters.indexOf(text.charAt(end - 1)) >= 0) {
      end--;
    }
    return text.substring(0, end);
  }

  /** Returns the directories in which a file pattern finds files, relative to its base. */
  static List<String> searched(String sent) {
    String pattern = ON_WINDOWS.matcher(sent).find() ? sent.replace('\\', '/') : sent;
    int wildcard = 0;
    while (wildcard < pattern.length() && WILDCARDS.indexOf(pattern.charAt(wildcard)) < 0) {
      wildcard++;
    }
    if (wildcard == pattern.length()) {
      return List.of(pattern);
    }
    int slash = pattern.lastIndexOf('/', wildcard);
    var found = new ArrayList<String>();
    if (slash >= 0) {
      found.add(slash == 0 ? "/" : pattern.substring(0, slash));
    }
    if (mayClimb(pattern.substring(slash + 1))) {
      found.add("/");
    }
    return found;
  }

  /** Whether alternatives and wildcards may become {@code ..}, or the start of another path. */
  private static boolean mayClimb(String pattern) {
    boolean inBrackets = false;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      boolean begins = i > 0 && "{,(|".indexOf(pattern.charAt(i - 1)) >= 0;
      boolean ends = i + 1 < pattern.length() && "},)|".indexOf(pattern.charAt(i + 1)) >= 0;
      if (inBrackets ? c == '.' || c == '/' : begins && "./~\\".indexOf(c) >= 0) {
        return true;
      }
      if (c == '.' && ends) {
        return true;
      }
      inBrackets = inBrackets ? c != ']' : c == '[';
    }
    return pattern.contains("..") || pattern.contains(".*/") || pattern.contains(".?/");
  }

  /**
   * Returns the parts of a path in one spelling: in lower case, without {@code .} and what {@code
   * ..} removes, whatever the slashes and the Unicode form.
   */
  static List<String> parts(String path) {
    return parts(path, List.of());
  }

  /** Returns the parts of a path that may be relative to a directory with these parts. */
  static List<String> parts(String path, List<String> directory) {
    String folded = Folding.withoutIgnorable(Folding.nfkc(path)).toLowerCase(Locale.ROOT);
    var parts = new ArrayList<String>(isRelative(path) ? directory : List.of());
    for (String part : folded.replace('\\', '/').split("/", -1)) {
      // Windows ignores dots and blanks at the end of a name.
      String name = withoutEnd(part, ". ");
      if (part.equals("..")) {
        if (!parts.isEmpty()) {
          parts.removeLast();
        }
      } else if (!name.isEmpty()) {
        parts.add(name);
      }
    }
    return parts;
  }
}
