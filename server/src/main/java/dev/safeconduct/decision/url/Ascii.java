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

  static boolean isLetterOrDigit(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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

  /** Whether the text has a control character, space or backslash, which no URL may contain. */
  static boolean holdsForbidden(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c == 0x7F || c == '\\') {
        return true;
      }
    }
    return false;
  }

  /** Returns the first index from {@code from} of one of the characters, or the length. */
  static int indexOfAny(String text, String characters, int from) {
    for (int i = from; i < text.length(); i++) {
      if (characters.indexOf(text.charAt(i)) >= 0) {
        return i;
      }
    }
    return text.length();
  }
}
