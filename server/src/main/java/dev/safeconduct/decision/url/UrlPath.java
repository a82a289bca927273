package dev.safeconduct.decision.url;

import dev.safeconduct.decision.path.LexicalPath;

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
