package dev.safeconduct.net;

import java.util.Optional;

/**
 * An IPv4 address.
 *
 * @param bits the address in network order
 */
public record Ipv4(int bits) implements IpAddress {
  private static final long TOO_LARGE = 1L << 32;

  /** Returns whether a name's last label makes browsers parse the whole name as a number. */
  public static boolean looksLikeOne(String name) {
    String last = name.substring(name.lastIndexOf('.') + 1);
    return isDigits(last)
        || (last.startsWith("0x") && last.chars().skip(2).allMatch(Ipv6::isHexDigit));
  }

  private static boolean isDigits(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  /**
   * Parses the formats of the old C library: one to four parts, each decimal, octal (leading 0) or
   * hexadecimal (leading 0x). The last part fills the remaining bytes.
   *
   * @param name lower case, without empty labels
   */
  public static Optional<Ipv4> parse(String name) {
    String[] parts = name.split("\\.", 5);
    if (parts.length > 4) {
      return Optional.empty();
    }
    long address = 0;
    for (int i = 0; i < parts.length - 1; i++) {
      long part = number(parts[i]);
      if (part > 255) {
        return Optional.empty();
      }
      address |= part << (24 - 8 * i);
    }
    long last = number(parts[parts.length - 1]);
    if (last >= 1L << (8 * (5 - parts.length))) {
      return Optional.empty();
    }
    return Optional.of(new Ipv4((int) (address | last)));
  }

  /**
   * Parses the strict form at the end of an IPv6 address: four decimal parts without leading zeros.
   */
  static Optional<Ipv4> parseDotted(String text) {
    String[] parts = text.split("\\.", 5);
    if (parts.length != 4) {
      return Optional.empty();
    }
    for (String part : parts) {
      if (part.isEmpty()
          || part.length() > 3
          || !isDigits(part)
          || (part.startsWith("0") && part.length() > 1)) {
        return Optional.empty();
      }
    }
    return parse(text);
  }

  /** Returns the part's value; 2^32 when it is not a valid number below that. */
  private static long number(String part) {
    int radix = 10;
    int start = 0;
    if (part.startsWith("0x")) {
      radix = 16;
      start = 2;
    } else if (part.startsWith("0")) {
      radix = 8;
    } else if (part.isEmpty()) {
      return TOO_LARGE;
    }
    long value = 0;
    for (int i = start; i < part.length(); i++) {
      char c = part.charAt(i);
      int digit = c < 0x80 ? Character.digit(c, radix) : -1;
      if (digit < 0) {
        return TOO_LARGE;
      }
      value = value * radix + digit;
      if (value >= TOO_LARGE) {
        return TOO_LARGE;
      }
    }
    return value;
  }

  @Override
  public String text() {
    return (bits >>> 24)
        + "."
        + ((bits >>> 16) & 0xFF)
        + "."
        + ((bits >>> 8) & 0xFF)
        + "."
        + (bits & 0xFF);
  }
}
