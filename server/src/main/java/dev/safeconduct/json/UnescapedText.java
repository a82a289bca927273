package dev.safeconduct.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Detects texts that need no escaping in JSON, eight bytes at a time. */
final class UnescapedText {
  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** The value 1 in each of eight bytes. */
  private static final long ONES = 0x0101010101010101L;

  private UnescapedText() {}

  /**
   * Returns whether the bytes are the text and nothing needs escaping, which is true for almost
   * every text. If there is one byte for each char, all are ASCII, or a lone surrogate became a
   * question mark.
   */
  static boolean is(String text, byte[] utf8) {
    if (utf8.length != text.length()) {
      return false;
    }
    int i = 0;
    while (i < utf8.length) {
      if (i + Long.BYTES <= utf8.length && arePlain((long) EIGHT.get(utf8, i))) {
        i += Long.BYTES;
      } else {
        int end = Math.min(utf8.length, i + Long.BYTES);
        for (; i < end; i++) {
          byte b = utf8[i];
          if (b < 0x20 || b == '"' || b == '\\' || (b == '?' && text.charAt(i) != '?')) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /**
   * Returns whether none of the eight bytes needs escaping or is a question mark. Subtracting one
   * from a zero byte, or a blank from a control character, sets the byte's highest bit.
   */
  private static boolean arePlain(long bytes) {
    long marks =
        bytes
            | (bytes - ONES * ' ')
            | ((bytes ^ (ONES * '"')) - ONES)
            | ((bytes ^ (ONES * '\\')) - ONES)
            | ((bytes ^ (ONES * '?')) - ONES);
    return (marks & (ONES << 7)) == 0;
  }
}
