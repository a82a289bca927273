package dev.safeconduct.config;

import java.net.InetAddress;
import java.util.Optional;

/** A range of IP addresses in CIDR form (RFC 4632), or a single address. */
public record AddressRange(InetAddress network, int prefixBits) {

  /** Reads {@code 10.0.0.0/8}, {@code fd00::/8} or one address; empty when it is none of these. */
  public static Optional<AddressRange> parse(String text) {
    int slash = text.indexOf('/');
    try {
      InetAddress network = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
      int width = network.getAddress().length * 8;
      int bits = slash < 0 ? width : Integer.parseInt(text.substring(slash + 1));
      return bits < 0 || bits > width
          ? Optional.empty()
          : Optional.of(new AddressRange(network, bits));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** Whether the address is of the range's family and lies in it. */
  public boolean contains(InetAddress address) {
    byte[] ours = network.getAddress();
    byte[] theirs = address.getAddress();
    if (ours.length != theirs.length) {
      return false;
    }
    int whole = prefixBits / 8;
    for (int i = 0; i < whole; i++) {
      if (ours[i] != theirs[i]) {
        return false;
      }
    }
    int mask = 0xff << (8 - prefixBits % 8) & 0xff;
    return prefixBits % 8 == 0 || ((ours[whole] ^ theirs[whole]) & mask) == 0;
  }
}
