package dev.safeconduct.decision.url;

/** Paths of URLs in the form in which they are compared (validator catalogue 3.2). */
final class UrlPath {
  private UrlPath() {}

  /**
   * The path with {@code %2e} and {@code %2f} decoded once, empty parts and {@code .} left out and
   * {@code ..} applied; begins with {@code /} and does not end with one, unless it is the root.
   */
  static String normal(String path) {
    String decoded = decodeDotsAndSlashes(path);
    var normal = new StringBuilder(decoded.length() + 1);
    int start = 0;
    while (start <= decoded.length()) {
      int end = Ascii.indexOfAny(decoded, "/", start);
      int length = end - start;
      if (length == 2 && decoded.startsWith("..", start)) {
        normal.setLength(Math.max(normal.lastIndexOf("/"), 0));
      } else if (length > 0 && !(length == 1 && decoded.charAt(start) == '.')) {
        normal.append('/').append(decoded, start, end);
      }
      start = end + 1;
    }
    return normal.isEmpty() ? "/" : normal.toString();
  }

  /** Whether a normal path is the directory or lies below it. */
  static boolean covers(String directory, String path) {
    return directory.equals("/")
        || (path.startsWith(directory)
            && (path.length() == directory.length() || path.charAt(directory.length()) == '/'));
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
