package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import java.util.List;

/** A request's path with duplicate slashes collapsed; clients join base addresses carelessly. */
final class RequestPath {
  /** Paths below these continue with a link's token. */
  private static final List<String> LINKS = List.of("/claim/", "/password/");

  private RequestPath() {}

  /**
   * Returns the path with duplicate slashes collapsed.
   *
   * @param target the request target without its query; origin or absolute form (RFC 9112 section
   *     3.2)
   * @throws dev.safeconduct.error.ProblemException 400 for a character that is not valid in a path
   */
  static String canonical(String target) {
    String path = target;
    if (!path.startsWith("/")) {
      int scheme = path.indexOf("://");
      int slash = scheme < 0 ? -1 : path.indexOf('/', scheme + 3);
      path = slash >= 0 ? path.substring(slash) : scheme >= 0 ? "/" : "/" + path;
    }
    boolean doubled = false;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c <= ' ' || c > '~') {
        throw Problem.invalid(
                "The path holds a character that must be percent-encoded; send %XX in its place.")
            .toException();
      }
      doubled |= c == '/' && i > 0 && path.charAt(i - 1) == '/';
    }
    return doubled ? collapse(path) : path;
  }

  /**
   * Returns the path for error messages, without the token of a link: the token gives control of an
   * agent.
   */
  static String shown(String path) {
    for (String link : LINKS) {
      if (path.regionMatches(true, 0, link, 0, link.length()) && path.length() > link.length()) {
        return link + "{token}";
      }
    }
    return path;
  }

  private static String collapse(String path) {
    var text = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      if (path.charAt(i) != '/' || i == 0 || path.charAt(i - 1) != '/') {
        text.append(path.charAt(i));
      }
    }
    return text.toString();
  }
}
