package dev.safeconduct.decision.url;

/**
 * Character classes of URLs. Limited to ASCII on purpose: with Unicode's case folding the long s
 * would spell {@code https}.
 */
final class Ascii {
  private Ascii() {}

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  static boolean isHexDigit(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  static boolean isLetterOrDigit(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  static boolean isDigits(String text) {
    return text.chars().allMatch(c -> isDigit((char) c));
  }

  static boolean isHex(String text) {
    return text.chars().allMatch(c -> isHexDigit((char) c));
  }

  static boolean isHostText(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!isLetterOrDigit(c) && c != '.' && c != '-' && c != '_') {
        return false;
      }
    }
    return true;
  }

  /** Whether the text holds a control character, a space or a backslash: no URL may. */
  static boolean holdsForbidden(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c == 0x7F || c == '\\') {
        return true;
      }
    }
    return false;
  }

  /** Lower-cases A to Z and nothing else. */
  static String lower(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        return lowered(text, i);
      }
    }
    return text;
  }

  private static String lowered(String text, int from) {
    char[] chars = text.toCharArray();
    for (int i = from; i < chars.length; i++) {
      if (chars[i] >= 'A' && chars[i] <= 'Z') {
        chars[i] = (char) (chars[i] + ('a' - 'A'));
      }
    }
    return new String(chars);
  }

  /** The first place at or after {@code from} of one of the characters; the length if none. */
  static int indexOfAny(String text, String characters, int from) {
    for (int i = from; i < text.length(); i++) {
      if (characters.indexOf(text.charAt(i)) >= 0) {
        return i;
      }
    }
    return text.length();
  }
}
