package dev.safeconduct.text;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Finds texts in a text in time proportional to both lengths.
 *
 * <p>{@link String#indexOf(String)} is faster on ordinary texts but multiplies the lengths on
 * hostile ones, such as a long run of one letter. Large products use the linear algorithm.
 */
public final class TextSearch {
  private static final long LARGE = 1 << 20;

  /** In a short text, a pass for each part takes less time than to prepare a pass for all. */
  public static final int SHORT_TEXT = 4_096;

  /** The bytes of a part that is searched for together with others: each takes a kilobyte. */
  private static final int SHORT_PART = 60;

  private TextSearch() {}

  /** Returns the first index at or after {@code from}, or -1. */
  public static int indexOf(String text, String part, int from) {
    if ((long) text.length() * part.length() <= LARGE || part.length() < 2) {
      return text.indexOf(part, from);
    }
    return linear(text, part, from);
  }

  /** Returns one of the parts, which are not empty, that occurs in the text. */
  public static Optional<String> anyOf(List<String> parts, String text) {
    if (text.length() <= SHORT_TEXT) {
      return first(parts, text);
    }
    List<String> small = parts.stream().filter(part -> !isLong(part)).toList();
    BitSet found =
        new SubstringSet(small.stream().map(SubstringSet::bytes).toList())
            .in(SubstringSet.bytes(text));
    return found == null
        ? first(parts.stream().filter(TextSearch::isLong).toList(), text)
        : Optional.of(small.get(found.nextSetBit(0)));
  }

  /** Whether {@link #anyOf} searches for the part in a pass of its own, and not with others. */
  public static boolean isLong(String part) {
    return SubstringSet.bytes(part).length() > SHORT_PART;
  }

  private static Optional<String> first(List<String> parts, String text) {
    return parts.stream().filter(part -> indexOf(text, part, 0) >= 0).findFirst();
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
