package dev.safeconduct.net;

import java.util.Optional;

/** A range of IP addresses in CIDR form (RFC 4632), or a single address. */
public record AddressRange(IpAddress network, int prefixBits) {
  private static final int WIDTH_4 = 32;
  private static final int WIDTH_6 = 128;

  /**
   * Parses {@code 10.0.0.0/8}, {@code fd00::/8} or one address; empty for any other text. A range
   * of IPv4-mapped IPv6 addresses ({@code ::ffff:10.0.0.0/104}) becomes that of the IPv4 addresses.
   */
  public static Optional<AddressRange> parse(String text) {
    int slash = text.indexOf('/');
    Optional<IpAddress> network = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
    if (network.isEmpty()) {
      return Optional.empty();
    }
    int width = network.get() instanceof Ipv4 ? WIDTH_4 : WIDTH_6;
    if (slash < 0) {
      return Optional.of(new AddressRange(network.get(), width));
    }
    String length = text.substring(slash + 1);
    if (!length.matches("[0-9]{1,3}")) {
      return Optional.empty();
    }
    // The prefix of an IPv4-mapped IPv6 address counts the 96 bits before the IPv4 address.
    boolean mapped = width == WIDTH_4 && text.indexOf(':') >= 0;
    int bits = Integer.parseInt(length) - (mapped ? WIDTH_6 - WIDTH_4 : 0);
    return bits < 0 || bits > width
        ? Optional.empty()
        : Optional.of(new AddressRange(network.get(), bits));
  }

  /** Returns whether the range contains the address; false for the other address family. */
  public boolean contains(IpAddress address) {
    if (network instanceof Ipv4 ours && address instanceof Ipv4 theirs) {
      return samePrefix((long) ours.bits() << 32, (long) theirs.bits() << 32, prefixBits);
    }
    return network instanceof Ipv6 ours
        && address instanceof Ipv6 theirs
        && samePrefix(ours.high(), theirs.high(), Math.min(prefixBits, 64))
        && samePrefix(ours.low(), theirs.low(), Math.max(prefixBits - 64, 0));
  }

  /** Returns whether this range contains each address of the other. */
  public boolean contains(AddressRange other) {
    return prefixBits <= other.prefixBits && contains(other.network);
  }

  /** Returns the address with the length of the prefix, for example {@code 10.0.0.0/8}. */
  public String text() {
    return network.text() + "/" + prefixBits;
  }

  /** Returns whether the first {@code bits} of the two are the same. */
  private static boolean samePrefix(long one, long other, int bits) {
    return bits == 0 || (one ^ other) >>> (64 - bits) == 0;
  }
}
