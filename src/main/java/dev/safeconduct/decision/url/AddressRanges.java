package dev.safeconduct.decision.url;

import java.util.List;

/** The address blocks that are no place on the public internet (validator catalogue 3.3). */
final class AddressRanges {
  private static final List<Block4> PRIVATE_4 =
      List.of(
          new Block4(0, 0, 0, 8),
          new Block4(10, 0, 0, 8),
          new Block4(100, 64, 0, 10),
          new Block4(127, 0, 0, 8),
          new Block4(169, 254, 0, 16),
          new Block4(172, 16, 0, 12),
          new Block4(192, 0, 0, 24),
          new Block4(192, 0, 2, 24),
          new Block4(192, 168, 0, 16),
          new Block4(198, 18, 0, 15),
          new Block4(198, 51, 100, 24),
          new Block4(203, 0, 113, 24),
          new Block4(224, 0, 0, 4),
          new Block4(240, 0, 0, 4));

  /** Blocks no longer than 64 bits: the first half of the address decides. */
  private static final List<Block6> PRIVATE_6 =
      List.of(
          new Block6(0x0100_0000_0000_0000L, 64),
          new Block6(0x2001_0db8_0000_0000L, 32),
          new Block6(0xfc00_0000_0000_0000L, 7),
          new Block6(0xfe80_0000_0000_0000L, 10),
          new Block6(0xfec0_0000_0000_0000L, 10),
          new Block6(0xff00_0000_0000_0000L, 8));

  private AddressRanges() {}

  private record Block4(int base, int mask) {
    Block4(int first, int second, int third, int length) {
      this((first << 24) | (second << 16) | (third << 8), -1 << (32 - length));
    }

    boolean holds(int bits) {
      return (bits & mask) == base;
    }
  }

  private record Block6(long base, int length) {
    boolean holds(long high) {
      return ((high ^ base) >>> (64 - length)) == 0;
    }
  }

  static boolean isPrivate(Ipv4 address) {
    for (Block4 block : PRIVATE_4) {
      if (block.holds(address.bits())) {
        return true;
      }
    }
    return false;
  }

  /** Judges the address itself, not an IPv4 address it may stand for. */
  static boolean isPrivate(Ipv6 address) {
    if (address.high() == 0 && (address.low() == 0 || address.low() == 1)) {
      return true;
    }
    for (Block6 block : PRIVATE_6) {
      if (block.holds(address.high())) {
        return true;
      }
    }
    return false;
  }
}
