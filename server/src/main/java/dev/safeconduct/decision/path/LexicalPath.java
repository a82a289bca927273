package dev.safeconduct.decision.path;

/** Paths without a file system: normalisation and containment of texts (validators 2.2). */
public final class LexicalPath {
  private LexicalPath() {}

  /**
   * Returns the path without empty parts and {@code .}. Each {@code ..} removes the part before it.
   * At the root {@code ..} is dropped. At the start of a relative path it remains. An empty
   * relative path becomes {@code .}.
   */
  public static String normalise(String path) {
    if (isNormal(path)) {
      return path;
    }
    boolean absolute = isAbsolute(path);
    var kept = new StringBuilder(path.length());
    int climbs = 0; // length of the leading ../../, which is never removed
    for (int start = 0; start <= path.length(); ) {
      int slash = path.indexOf('/', start);
      int end = slash < 0 ? path.length() : slash;
      if (isUp(path, start, end)) {
        if (kept.length() > climbs) {
          kept.setLength(Math.max(kept.lastIndexOf("/"), climbs));
        } else if (!absolute) {
          append(kept, absolute, "..", 0, 2);
          climbs = kept.length();
        }
      } else if (end > start && !isHere(path, start, end)) {
        append(kept, absolute, path, start, end);
      }
      start = end + 1;
    }
    if (kept.isEmpty()) {
      return absolute ? "/" : ".";
    }
    return kept.toString();
  }

  public static boolean isAbsolute(String path) {
    return path.startsWith("/");
  }

  /** Whether the normalised path is the normalised directory or lies below it. */
  public static boolean isWithin(String path, String directory) {
    if (!path.startsWith(directory)) {
      return false;
    }
    if (path.length() == directory.length()) {
      return true;
    }
    int next = directory.endsWith("/") ? directory.length() : directory.length() + 1;
    return path.charAt(next - 1) == '/' && !startsWithUp(path, next);
  }

  /** Whether the part that begins here is {@code ..}: below {@code ..} lies no {@code ../..}. */
  static boolean startsWithUp(String path, int start) {
    return path.startsWith("..", start)
        && (path.length() == start + 2 || path.charAt(start + 2) == '/');
  }

  private static void append(
      StringBuilder kept, boolean absolute, String text, int start, int end) {
    if (absolute || !kept.isEmpty()) {
      kept.append('/');
    }
    kept.append(text, start, end);
  }

  private static boolean isHere(String path, int start, int end) {
    return end - start == 1 && path.charAt(start) == '.';
  }

  private static boolean isUp(String path, int start, int end) {
    return end - start == 2 && path.charAt(start) == '.' && path.charAt(start + 1) == '.';
  }

  /** Whether the path is certainly normal: no part is empty or begins with a dot. */
  static boolean isNormal(String path) {
    int last = path.length() - 1;
    if (last < 0 || path.charAt(0) == '.' || path.charAt(last) == '/') {
      return path.equals("/");
    }
    for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      char next = path.charAt(slash + 1);
      if (next == '/' || next == '.') {
        return false;
      }
    }
    return true;
  }
}
