package dev.safeconduct.decision.path;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Text with percent-encoded octets (RFC 3986 section 2.1). */
public final class PercentText {
  private static final int MOST_DECODINGS = 3;

  private PercentText() {}

  /** Returns the text, and what it becomes when it is decoded again, up to three times. */
  public static List<String> spellings(String text) {
    if (!isEscaped(text)) {
      return List.of(text);
    }
    var spellings = new ArrayList<String>(MOST_DECODINGS + 1);
    spellings.add(text);
    for (int i = 0; i < MOST_DECODINGS && isEscaped(spellings.getLast()); i++) {
      spellings.add(decode(spellings.getLast()));
    }
    return spellings;
  }

  private static boolean isEscaped(String text) {
    for (int at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
      if (octet(text, at) >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Decodes all valid escapes as UTF-8. Invalid UTF-8 becomes U+FFFD. */
  private static String decode(String text) {
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
