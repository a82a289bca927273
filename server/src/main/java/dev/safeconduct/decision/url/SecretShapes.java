package dev.safeconduct.decision.url;

import java.util.regex.Pattern;

/**
 * Texts that look like a credential (validator catalogue 3.4, point 6). Both patterns run in time
 * linear in the text: every repetition is bounded, or of a class the next element excludes.
 */
final class SecretShapes {
  /** White space as ECMAScript's patterns understand it. */
  private static final String SPACE =
      "[\\s\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}"
          + "\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}]";

  private static final Pattern SCHEME =
      Pattern.compile(
          SPACE + "*+(?:bearer|basic)" + SPACE + "++.", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern TOKEN =
      Pattern.compile(
          "-----BEGIN"
              + "|AKIA[0-9A-Z]{16}"
              + "|gh[pousr]_[A-Za-z0-9]{20}"
              + "|xox[abprs]-[A-Za-z0-9-]{10}"
              + "|\\bsk-[A-Za-z0-9_-]{16}",
          Pattern.CASE_INSENSITIVE);

  private SecretShapes() {}

  /** Whether a header's value is or holds a credential. */
  static boolean appearIn(String value) {
    return (mayNameScheme(value) && SCHEME.matcher(value).lookingAt()) || inText(value);
  }

  /** Whether a text holds a private key or a service's token. */
  static boolean inText(String text) {
    return mayHoldToken(text) && TOKEN.matcher(text).find();
  }

  /** Whether the first character that is no space in ASCII is a B or beyond ASCII. */
  private static boolean mayNameScheme(String value) {
    int start = 0;
    while (start < value.length() && value.charAt(start) <= ' ') {
      start++;
    }
    char first = start < value.length() ? value.charAt(start) : 0;
    return first == 'b' || first == 'B' || first >= 0x80;
  }

  /** Whether the value may contain a token: a cheap check of first letters before the patterns. */
  private static boolean mayHoldToken(String value) {
    for (int i = 0; i < value.length(); i++) {
      boolean hit =
          switch (value.charAt(i)) {
            case '-' -> at(value, i, "-----B") || at(value, i - 2, "sk") || at(value, i - 4, "xox");
            case '_' -> at(value, i - 3, "gh");
            case 'A', 'a' -> at(value, i, "AKIA");
            default -> false;
          };
      if (hit) {
        return true;
      }
    }
    return false;
  }

  private static boolean at(String value, int start, String part) {
    return value.regionMatches(true, start, part, 0, part.length());
  }
}
