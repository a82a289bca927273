package dev.safeconduct.text;

import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;

/**
 * The forms in which texts are compared (validators section 1, pack catalogue 0.6). All methods
 * take time linear in their input.
 */
public final class Folding {
  private static final char FIRST_BEYOND_ASCII = 0x80;

  private Folding() {}

  /**
   * Returns the form for block-lists of free text: NFKC, no characters that display as nothing
   * ({@link #isIgnorable}), each run of white space one space, trimmed, lower case.
   */
  public static String fold(String text) {
    if (isFolded(text)) {
      return text;
    }
    String composed = nfkc(text);
    var folded = new StringBuilder(composed.length());
    boolean gap = false;
    for (int i = 0; i < composed.length(); ) {
      int c = composed.codePointAt(i);
      i += Character.charCount(c);
      if (isWhiteSpace(c)) {
        gap = true;
      } else if (!isIgnorable(c)) {
        if (gap && !folded.isEmpty()) {
          folded.append(' ');
        }
        gap = false;
        folded.appendCodePoint(c);
      }
    }
    return folded.toString().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the form of both sides of a block-list comparison: NFKC, trimmed of every character
   * that any platform treats as white space, lower case.
   */
  public static String blockKey(String text) {
    return trim(nfkc(text), Folding::isSpaceAnywhere).toLowerCase(Locale.ROOT);
  }

  /**
   * Returns whether an allow-list has the exact value or {@code *}; an empty entry never matches.
   */
  public static boolean admits(List<String> allowList, String value) {
    for (String entry : allowList) {
      if (entry.equals("*") || (!entry.isEmpty() && entry.equals(value))) {
        return true;
      }
    }
    return false;
  }

  /** Lower-cases only A to Z: Unicode case folding turns a long s into an s. */
  public static String asciiLower(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isAsciiCapital(text.charAt(i))) {
        char[] chars = text.toCharArray();
        for (; i < chars.length; i++) {
          chars[i] = isAsciiCapital(chars[i]) ? (char) (chars[i] + ('a' - 'A')) : chars[i];
        }
        return new String(chars);
      }
    }
    return text;
  }

  private static boolean isAsciiCapital(char c) {
    return c >= 'A' && c <= 'Z';
  }

  /** Returns Unicode Normalization Form KC. */
  public static String nfkc(String text) {
    return isAscii(text) ? text : Composition.nfkc(text);
  }

  /** Returns the text without white space (the Unicode property) at both ends. */
  public static String trim(String text) {
    return trim(text, Folding::isWhiteSpace);
  }

  private static String trim(String text, IntPredicate space) {
    int start = 0;
    int end = text.length();
    while (start < end && space.test(text.charAt(start))) {
      start++;
    }
    while (start < end && space.test(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(start, end);
  }

  /**
   * Adds the byte order mark for ECMAScript, and the separators U+001C to U+001F for Java and
   * Python.
   */
  private static boolean isSpaceAnywhere(int c) {
    return isWhiteSpace(c) || c == 0xFEFF || (c >= 0x1C && c <= 0x1F);
  }

  /** Whether the text has no character but those that some platform treats as white space. */
  public static boolean isBlank(String text) {
    return trim(text, Folding::isSpaceAnywhere).isEmpty();
  }

  /** Whether the text has nothing that can be seen: only white space and ignorable characters. */
  public static boolean isInvisible(String text) {
    return text.codePoints().allMatch(c -> isSpaceAnywhere(c) || isIgnorable(c));
  }

  /** Whether the character has the Unicode property White_Space. */
  public static boolean isWhiteSpace(int c) {
    if (c < FIRST_BEYOND_ASCII) {
      return c == ' ' || (c >= '\t' && c <= '\r');
    }
    return c == 0x85 || Character.isSpaceChar(c);
  }

  /**
   * Whether the character is of category Cf or has the Unicode property
   * Default_Ignorable_Code_Point.
   */
  public static boolean isIgnorable(int c) {
    if (c < 0xAD) {
      return false;
    }
    if (Character.getType(c) == Character.FORMAT || (c >= 0xE0000 && c <= 0xE0FFF)) {
      return true;
    }
    return switch (c) {
      case 0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x3164, 0xFFA0 -> true;
      default ->
          (c >= 0x180B && c <= 0x180F)
              || (c >= 0xFE00 && c <= 0xFE0F)
              || (c >= 0xFFF0 && c < 0xFFF9);
    };
  }

  /** Returns the text without its ignorable characters. */
  public static String withoutIgnorable(String text) {
    if (isAscii(text)) {
      return text;
    }
    var visible = new StringBuilder(text.length());
    text.codePoints().filter(c -> !isIgnorable(c)).forEach(visible::appendCodePoint);
    return visible.toString();
  }

  /** Whether every character is below U+0080. */
  public static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= FIRST_BEYOND_ASCII) {
        return false;
      }
    }
    return true;
  }

  /** True only for ASCII text that folding would leave as it is. */
  private static boolean isFolded(String text) {
    char previous = ' ';
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= FIRST_BEYOND_ASCII
          || (c >= 'A' && c <= 'Z')
          || (c >= '\t' && c <= '\r')
          || (c == ' ' && previous == ' ')) {
        return false;
      }
      previous = c;
    }
    return text.isEmpty() || previous != ' ';
  }
}
