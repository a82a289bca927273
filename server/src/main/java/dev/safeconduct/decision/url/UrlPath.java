package dev.safeconduct.decision.url;

import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.decision.path.PercentText;
import java.util.Locale;

/** Paths of URLs in the form in which they are compared (validator catalogue 3.2). */
final class UrlPath {
  private UrlPath() {}

  /**
   * The path with {@code %2e} and {@code %2f} decoded once, then normalised.
   *
   * @param path empty, which is the root, or beginning with {@code /}
   */
  static String normal(String path) {
    String decoded = decodeDotsAndSlashes(path);
    return decoded.isEmpty() ? "/" : LexicalPath.normalise(decoded);
  }

  /**
   * Whether some server may take the path for one at or below the entry's: however often it decodes
   * it (up to three times), with {@code \\} for a slash, with or without the parameters of each
   * part ({@code ;x}), in any case.
   */
  static boolean mayLieBelow(String path, String entry) {
    if (entry.isEmpty()) {
      return true;
    }
    String directory = withoutParameters(plain(PercentText.spellings(entry).getLast()));
    for (String spelling : PercentText.spellings(path)) {
      String plain = plain(spelling);
      if (isBelow(plain, directory) || isBelow(withoutParameters(plain), directory)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isBelow(String path, String directory) {
    return LexicalPath.isWithin(normal(path), normal(directory));
  }

  private static String plain(String path) {
    return "/" + path.replace('\\', '/').toLowerCase(Locale.ROOT);
  }

  private static String withoutParameters(String path) {
    if (path.indexOf(';') < 0) {
      return path;
    }
    var cut = new StringBuilder(path.length());
    boolean kept = true;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      kept = c == '/' || (kept && c != ';');
      if (kept) {
        cut.append(c);
      }
    }
    return cut.toString();
  }

  private static String decodeDotsAndSlashes(String path) {
    if (path.indexOf('%') < 0) {
      return path;
    }
    var decoded = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (path.regionMatches(true, i, "%2e", 0, 3)) {
        c = '.';
        i += 2;
      } else if (path.regionMatches(true, i, "%2f", 0, 3)) {
        c = '/';
        i += 2;
      }
      decoded.append(c);
    }
    return decoded.toString();
  }
}
