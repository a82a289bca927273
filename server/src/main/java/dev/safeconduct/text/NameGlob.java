package dev.safeconduct.text;

import java.util.List;

/**
 * An entry of a list of repositories or branches. {@code *} matches any text, including the empty
 * text and slashes. Other characters match themselves. An empty entry matches nothing.
 */
public record NameGlob(List<String> pieces) {
  public static NameGlob of(String entry) {
    return new NameGlob(List.of(entry.split("\\*", -1)));
  }

  /** Whether some entry matches the whole name. */
  public static boolean anyMatches(List<String> entries, String name) {
    for (String entry : entries) {
      if (of(entry).matches(name)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the whole name matches. The pieces between the stars are searched from left to right,
   * each at its first match, because that leaves the longest text for the rest.
   */
  public boolean matches(String name) {
    String first = pieces.getFirst();
    if (pieces.size() == 1) {
      return !first.isEmpty() && name.equals(first);
    }
    String last = pieces.getLast();
    int end = name.length() - last.length();
    if (first.length() > end || !name.startsWith(first) || !name.endsWith(last)) {
      return false;
    }
    int at = first.length();
    for (String piece : pieces.subList(1, pieces.size() - 1)) {
      int found = name.indexOf(piece, at);
      if (found < 0 || found + piece.length() > end) {
        return false;
      }
      at = found + piece.length();
    }
    return true;
  }
}
