package dev.safeconduct.policy.expression;

/**
 * Finds a text in a text in time proportional to both lengths.
 *
 * <p>{@link String#indexOf(String)} is faster on ordinary texts but multiplies the lengths on
 * hostile ones, such as a long run of one letter. Large products use the linear algorithm.
 */
final class TextSearch {
  private static final long LARGE = 1 << 20;

  private TextSearch() {}

  /** Returns the first index at or after {@code from}, or -1. */
  static int indexOf(String text, String part, int from) {
    if ((long) text.length() * part.length() <= LARGE || part.length() < 2) {
      return text.indexOf(part, from);
    }
    return linear(text, part, from);
  }

  /**
   * Searches with the Knuth-Morris-Pratt algorithm, which reads each character of the text once.
   */
  private static int linear(String text, String part, int from) {
    int[] fallback = fallbacks(part);
    int matched = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      while (matched > 0 && c != part.charAt(matched)) {
        matched = fallback[matched - 1];
      }
      if (c == part.charAt(matched) && ++matched == part.length()) {
        return i - matched + 1;
      }
    }
    return -1;
  }

  /** For each prefix, the length of its longest proper prefix that is also its suffix. */
  private static int[] fallbacks(String part) {
    var fallback = new int[part.length()];
    int matched = 0;
    for (int i = 1; i < part.length(); i++) {
      while (matched > 0 && part.charAt(i) != part.charAt(matched)) {
        matched = fallback[matched - 1];
      }
      if (part.charAt(i) == part.charAt(matched)) {
        matched++;
      }
      fallback[i] = matched;
    }
    return fallback;
  }
}
