package dev.safeconduct.access;

import dev.safeconduct.identity.Cell;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32;

/**
 * The text of an API key: {@code sck_}, in a cell its name and {@code _}, 43 random base62
 * characters (256 bits), and a CRC-32 in six more of all between {@code sck_} and it. The checksum
 * detects a typo or a scanner's false match without a look-up. It proves nothing.
 */
final class KeyText {
  private static final String PREFIX = "sck_";
  private static final String ALPHABET =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int RANDOM_LENGTH = 43;
  private static final int CHECKSUM_LENGTH = 6;
  private static final int LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH;
  private static final int HINT_LENGTH = 4;

  private KeyText() {}

  static String make(Cell cell, RandomGenerator random) {
    var text = new StringBuilder(cell.isNone() ? "" : cell.name() + "_");
    for (int i = 0; i < RANDOM_LENGTH; i++) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return PREFIX + text + checksum(text.toString());
  }

  /** Returns whether the text has the form of a key and a correct checksum. */
  static boolean isWellFormed(String text) {
    int start = start(text);
    if (!text.startsWith(PREFIX)
        || text.length() - start != LENGTH
        || (start > PREFIX.length()
            && Cell.parse(text.substring(PREFIX.length(), start - 1)).isEmpty())) {
      return false;
    }
    for (int i = start; i < text.length(); i++) {
      if (!isBase62(text.charAt(i))) {
        return false;
      }
    }
    int end = text.length() - CHECKSUM_LENGTH;
    long rest = crc(text, PREFIX.length(), end);
    for (int i = text.length() - 1; i >= end; i--) {
      if (text.charAt(i) != ALPHABET.charAt((int) (rest % ALPHABET.length()))) {
        return false;
      }
      rest /= ALPHABET.length();
    }
    return true;
  }

  /** Returns the cell that a well-formed key, or its beginning up to the random part, names. */
  static Cell cell(String key) {
    int start = start(key);
    return start == PREFIX.length()
        ? Cell.NONE
        : new Cell(key.substring(PREFIX.length(), start - 1));
  }

  /** Returns the first characters, for people to tell keys apart. */
  static String hint(String key) {
    return key.substring(0, start(key) + HINT_LENGTH);
  }

  /** Returns where the random characters begin, which contain no underscore. */
  private static int start(String text) {
    return text.lastIndexOf('_') + 1;
  }

  private static boolean isBase62(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  }

  private static String checksum(String body) {
    long rest = crc(body, 0, body.length());
    var text = new StringBuilder(CHECKSUM_LENGTH);
    for (int i = 0; i < CHECKSUM_LENGTH; i++) {
      text.append(ALPHABET.charAt((int) (rest % ALPHABET.length())));
      rest /= ALPHABET.length();
    }
    return text.reverse().toString();
  }

  /** Returns the CRC-32 of a part of a text in ASCII. */
  private static long crc(String text, int start, int end) {
    var crc = new CRC32();
    for (int i = start; i < end; i++) {
      crc.update(text.charAt(i));
    }
    return crc.getValue();
  }
}
