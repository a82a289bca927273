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
   * The form in which block-lists look at free text: NFKC, no format characters (category Cf), each
   * run of white space one space, trimmed, lower case.
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
      } else if (c < FIRST_BEYOND_ASCII || Character.getType(c) != Character.FORMAT) {
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
   * The form in which both sides of a block-list comparison stand: NFKC, trimmed of whatever any
   * platform calls white space, lower case.
   */
  public static String blockKey(String text) {
    return trim(nfkc(text), Folding::isSpaceAnywhere).toLowerCase(Locale.ROOT);
  }

  /** Whether a block-list names the value; {@code *} is an entry like any other. */
  public static boolean blocks(List<String> blockList, String value) {
    if (blockList.isEmpty()) {
      return false;
    }
    String key = blockKey(value);
    for (String entry : blockList) {
      if (blockKey(entry).equals(key)) {
        return true;
      }
    }
    return false;
  }

  /** Whether an allow-list admits the value: exactly named, or {@code *}; an empty entry never. */
  public static boolean admits(List<String> allowList, String value) {
    for (String entry : allowList) {
      if (entry.equals("*") || (!entry.isEmpty() && entry.equals(value))) {
        return true;
      }
    }
    return false;
  }

  /** Unicode Normalization Form KC. */
  public static String nfkc(String text) {
    return isAscii(text) ? text : Composition.nfkc(text);
  }

  /** The text without white space (the Unicode property) at both ends. */
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

  /** The byte order mark for ECMAScript, the four separators from U+001C on for Java and Python. */
  private static boolean isSpaceAnywhere(int c) {
    return isWhiteSpace(c) || c == 0xFEFF || (c >= 0x1C && c <= 0x1F);
  }

  /** Whether the character has the Unicode property White_Space. */
  public static boolean isWhiteSpace(int c) {
    if (c < FIRST_BEYOND_ASCII) {
      return c == ' ' || (c >= '\t' && c <= '\r');
    }
    return c == 0x85 || Character.isSpaceChar(c);
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
