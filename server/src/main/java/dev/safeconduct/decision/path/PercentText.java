package dev.safeconduct.decision.path;

import java.nio.charset.StandardCharsets;

/** Text with percent-encoded octets (RFC 3986 section 2.1). */
final class PercentText {
  private PercentText() {}

  /** Whether the text has an escaped dot, slash, backslash, U+0000 or percent sign. */
  static boolean isEscaped(String text) {
    for (int at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
      switch (octet(text, at)) {
        case '.', '/', '\\', '%', 0 -> {
          return true;
        }
        default -> {}
      }
    }
    return false;
  }

  /** Decodes all valid escapes as UTF-8. Invalid UTF-8 becomes U+FFFD. */
  static String decode(String text) {
    var decoded = new StringBuilder(text.length());
    byte[] octets = new byte[text.length() / 3];
    for (int i = 0; i < text.length(); ) {
      int count = 0;
      for (int octet = octet(text, i); octet >= 0; octet = octet(text, i)) {
        octets[count++] = (byte) octet;
        i += 3;
      }
      if (count > 0) {
        decoded.append(new String(octets, 0, count, StandardCharsets.UTF_8));
      } else {
        decoded.append(text.charAt(i++));
      }
    }
    return decoded.toString();
  }

  /** The octet that is escaped at this place, or -1. */
  private static int octet(String text, int at) {
    if (at + 2 >= text.length() || text.charAt(at) != '%') {
      return -1;
    }
    int high = hex(text.charAt(at + 1));
    int low = hex(text.charAt(at + 2));
    return high < 0 || low < 0 ? -1 : (high << 4) | low;
  }

  private static int hex(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1;
  }
}
