package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Percent-decoding (RFC 3986 section 2.1) of text that must be UTF-8. */
final class PercentCoding {
  private PercentCoding() {}

  /**
   * Decodes the text.
   *
   * @param plusIsSpace as in a query or a form
   * @throws dev.safeconduct.error.ProblemException 400 for a broken escape or bytes that are not
   *     UTF-8
   */
  static String decode(String text, boolean plusIsSpace, String place) {
    if (text.indexOf('%') < 0) {
      return plusIsSpace ? text.replace('+', ' ') : text;
    }
    byte[] bytes = new byte[text.length()];
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
        int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
        if (high < 0 || low < 0) {
          throw bad(place);
        }
        bytes[length++] = (byte) ((high << 4) | low);
        i += 2;
      } else {
        bytes[length++] = (byte) (plusIsSpace && c == '+' ? ' ' : c);
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, 0, length))
          .toString();
    } catch (CharacterCodingException _) {
      throw bad(place);
    }
  }

  private static RuntimeException bad(String place) {
    return Problem.invalid(
            "The " + place + " has a broken percent-encoding; encode UTF-8 bytes as %XX.")
        .toException();
  }
}
