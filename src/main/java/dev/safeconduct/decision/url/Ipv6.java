package dev.safeconduct.decision.url;

import java.util.Optional;

/**
 * An IPv6 address.
 *
 * @param high the first eight bytes in network order
 * @param low the last eight
 */
record Ipv6(long high, long low) implements Host {
  private static final int GROUPS = 8;
  private static final int MAX_TEXT = 45;

  /** Reads the text forms of RFC 4291 section 2.2; a zone is not one of them. */
  static Optional<Ipv6> parse(String text) {
    if (text.length() > MAX_TEXT) {
      return Optional.empty();
    }
    int[] groups = new int[GROUPS];
    int count = 0;
    int gap = -1;
    int at = 0;
    if (text.startsWith("::")) {
      gap = 0;
      at = 2;
    }
    while (at < text.length()) {
      int end = groupEnd(text, at);
      if (end < text.length() && text.charAt(end) == '.') {
        Optional<Ipv4> tail = Ipv4.parseDotted(text.substring(at));
        if (tail.isEmpty() || count > GROUPS - 2) {
          return Optional.empty();
        }
        groups[count++] = tail.get().bits() >>> 16;
        groups[count++] = tail.get().bits() & 0xFFFF;
        break;
      }
      if (end == at || end - at > 4 || count == GROUPS) {
        return Optional.empty();
      }
      groups[count++] = Integer.parseInt(text, at, end, 16);
      if (end == text.length()) {
        break;
      }
      at = end + 1;
      if (text.charAt(end) != ':' || at == text.length()) {
        return Optional.empty();
      }
      if (text.charAt(at) == ':') {
        if (gap >= 0) {
          return Optional.empty();
        }
        gap = count;
        at++;
      }
    }
    return assemble(groups, count, gap);
  }

  private static int groupEnd(String text, int start) {
    int end = start;
    while (end < text.length() && Ascii.isHexDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  /** Puts the groups after the gap at the end; a gap stands for at least one group of zeros. */
  private static Optional<Ipv6> assemble(int[] groups, int count, int gap) {
    if (gap < 0 ? count != GROUPS : count == GROUPS) {
      return Optional.empty();
    }
    long[] halves = new long[2];
    for (int i = 0; i < count; i++) {
      int place = gap >= 0 && i >= gap ? i + GROUPS - count : i;
      halves[place / 4] |= (long) groups[i] << (48 - 16 * (place % 4));
    }
    return Optional.of(new Ipv6(halves[0], halves[1]));
  }

  /**
   * The IPv4 address this one stands for: mapped (::ffff:0:0/96), compatible (::/96), translated
   * (64:ff9b::/96), or 6to4 (2002::/16).
   */
  Optional<Ipv4> embedded() {
    long top = low >>> 32;
    boolean inLow =
        (high == 0 && (top == 0xFFFF || top == 0)) || (high == 0x0064_ff9b_0000_0000L && top == 0);
    if (inLow) {
      return Optional.of(new Ipv4((int) low));
    }
    return high >>> 48 == 0x2002 ? Optional.of(new Ipv4((int) (high >>> 16))) : Optional.empty();
  }

  private int group(int index) {
    long half = index < 4 ? high : low;
    return (int) (half >>> (48 - 16 * (index % 4))) & 0xFFFF;
  }

  /** RFC 5952: the longest run of two or more zero groups is left out. */
  @Override
  public String text() {
    int start = -1;
    int length = 1;
    for (int i = 0; i < GROUPS; i++) {
      int run = 0;
      while (i + run < GROUPS && group(i + run) == 0) {
        run++;
      }
      if (run > length) {
        start = i;
        length = run;
      }
    }
    var text = new StringBuilder("[");
    for (int i = 0; i < GROUPS; i++) {
      if (i == start) {
        text.append("::");
        i += length - 1;
      } else {
        if (text.length() > 1 && text.charAt(text.length() - 1) != ':') {
          text.append(':');
        }
        text.append(Integer.toHexString(group(i)));
      }
    }
    return text.append(']').toString();
  }
}
