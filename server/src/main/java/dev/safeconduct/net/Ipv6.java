package dev.safeconduct.net;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An IPv6 address.
 *
 * @param high the first eight bytes in network order
 * @param low the last eight
 */
public record Ipv6(long high, long low) implements IpAddress {
  private static final int GROUPS = 8;
  private static final int MAX_TEXT = 45;

  /** Parses the text forms of RFC 4291 section 2.2; a zone is not valid. */
  public static Optional<Ipv6> parse(String text) {
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
    while (end < text.length() && isHexDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  /** Moves the groups after the gap to the end; a gap replaces at least one group of zeros. */
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

  static boolean isHexDigit(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  /**
   * Returns this address and the IPv4 addresses that it carries: a gateway or the kernel may
   * connect to those in its place. {@code ::} and {@code ::1} carry none.
   */
  @Override
  public List<IpAddress> meant() {
    var meant = new ArrayList<IpAddress>(2);
    meant.add(this);
    if (carriesAtTheEnd()) {
      meant.add(new Ipv4((int) low));
    }
    if (high >>> 48 == 0x2002) { // 6to4 (RFC 3056 section 2)
      meant.add(new Ipv4((int) (high >>> 16)));
    }
    return meant;
  }

  private boolean carriesAtTheEnd() {
    long before = low >>> 32;
    return isMapped()
        || (high == 0 && before == 0xFFFF_0000L) // translated (RFC 2765 section 2.1)
        || (high == 0 && before == 0 && low > 1) // compatible (RFC 4291 section 2.5.5.1)
        || (high == 0x0064_ff9b_0000_0000L && before == 0) // NAT64 (RFC 6052 section 2.1)
        || (before & 0xFDFF_FFFFL) == 0x5EFE; // ISATAP (RFC 5214 section 6.1)
  }

  /** RFC 4291 section 2.5.5.2. */
  private boolean isMapped() {
    return high == 0 && low >>> 32 == 0xFFFF;
  }

  /** Returns the IPv4 address that this one maps. */
  Optional<Ipv4> mapped() {
    return isMapped() ? Optional.of(new Ipv4((int) low)) : Optional.empty();
  }

  private int group(int index) {
    long half = index < 4 ? high : low;
    return (int) (half >>> (48 - 16 * (index % 4))) & 0xFFFF;
  }

  /** Follows RFC 5952 section 4: the longest run of two or more zero groups is omitted. */
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
    var text = new StringBuilder();
    for (int i = 0; i < GROUPS; i++) {
      if (i == start) {
        text.append("::");
        i += length - 1;
      } else {
        if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
          text.append(':');
        }
        text.append(Integer.toHexString(group(i)));
      }
    }
    return text.toString();
  }
}
