package dev.safeconduct.access;

import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32;

/**
 * The text of an API key: {@code sck_}, 43 random base62 characters (256 bits), and their CRC-32 in
 * six more. The checksum detects a typo or a scanner's false match without a look-up. It proves
 * nothing.
 */
final class KeyText {
  private static final String PREFIX = "sck_";
  private static final String ALPHABET =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int RANDOM_LENGTH = 43;
  private static final int CHECKSUM_LENGTH = 6;
  private static final int LENGTH = PREFIX.length() + RANDOM_LENGTH + CHECKSUM_LENGTH;
  private static final int HINT_LENGTH = PREFIX.length() + 4;

  private KeyText() {}

  static String make(RandomGenerator random) {
    var text = new StringBuilder(LENGTH).append(PREFIX);
    for (int i = 0; i < RANDOM_LENGTH; i++) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return text.append(checksum(text.substring(PREFIX.length()))).toString();
  }

  /** Returns whether the text has the form of a key and a correct checksum. */
  static boolean isWellFormed(String text) {
    if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
      return false;
    }
    for (int i = PREFIX.length(); i < LENGTH; i++) {
      if (!isBase62(text.charAt(i))) {
        return false;
      }
    }
    int end = LENGTH - CHECKSUM_LENGTH;
    return text.substring(end).equals(checksum(text.substring(PREFIX.length(), end)));
  }

  /** Returns the first characters, for people to tell keys apart. */
  static String hint(String key) {
    return key.substring(0, HINT_LENGTH);
  }

  private static boolean isBase62(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  }

  private static String checksum(String random) {
    var crc = new CRC32();
    crc.update(random.getBytes(StandardCharsets.US_ASCII));
    long rest = crc.getValue();
    var text = new StringBuilder(CHECKSUM_LENGTH);
    for (int i = 0; i < CHECKSUM_LENGTH; i++) {
      text.append(ALPHABET.charAt((int) (rest % ALPHABET.length())));
      rest /= ALPHABET.length();
    }
    return text.reverse().toString();
  }
}
