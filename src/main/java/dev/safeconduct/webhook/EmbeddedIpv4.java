package dev.safeconduct.webhook;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * IPv6 addresses that stand for an IPv4 one, which a gateway or the kernel connects to in their
 * place: mapped and compatible (RFC 4291 section 2.5.5), translated (RFC 6052 section 2.1, RFC
 * 2765), 6to4 (RFC 3056) and ISATAP (RFC 5214).
 */
final class EmbeddedIpv4 {
  private static final int MAPPED = 0xffff;

  private EmbeddedIpv4() {}

  /** The address, and the one it stands for if it does. */
  static List<InetAddress> both(InetAddress address) {
    if (!(address instanceof Inet6Address)) {
      return List.of(address);
    }
    byte[] bytes = address.getAddress();
    boolean zeroHead = isZero(bytes, 0, 8);
    int upper = word(bytes, 8);
    boolean inTail =
        (zeroHead && (word(bytes, 8) == 0 || upper == MAPPED || upper == MAPPED << 16))
            || (word(bytes, 0) == 0x0064ff9b && word(bytes, 4) == 0 && word(bytes, 8) == 0)
            || ((upper & 0xfdffffff) == 0x00005efe);
    // ::1 and :: are themselves.
    if (inTail && !(zeroHead && upper == 0 && isZero(bytes, 12, 15))) {
      return List.of(address, ipv4(bytes, 12));
    }
    return bytes[0] == 0x20 && bytes[1] == 0x02
        ? List.of(address, ipv4(bytes, 2))
        : List.of(address);
  }

  private static boolean isZero(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private static int word(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 24
        | (bytes[at + 1] & 0xff) << 16
        | (bytes[at + 2] & 0xff) << 8
        | (bytes[at + 3] & 0xff);
  }

  private static InetAddress ipv4(byte[] bytes, int at) {
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(bytes, at, at + 4));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }
}
