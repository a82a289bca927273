package dev.safeconduct.decision.url;

import java.util.List;
import java.util.Set;

/**
 * Hosts inside the machine or its network, and the cloud's metadata services, as far as their text
 * tells (validator catalogue 3.3).
 */
final class NonPublicHosts {
  private static final Set<Host> METADATA =
      Set.of(
          new Ipv4(0xA9FEA9FE), // 169.254.169.254
          new Ipv4(0xA9FEAA02), // 169.254.170.2
          new Ipv4(0x646464C8), // 100.100.100.200
          new Ipv6(0xfd00_0ec2_0000_0000L, 0x254L),
          new HostName("metadata.google.internal"),
          new HostName("metadata.goog"),
          new HostName("metadata"),
          new HostName("instance-data"));

  private static final Set<String> NAMES = Set.of("localhost", "localtest.me", "lvh.me");

  /** The last three resolve to the address written in front of them. */
  private static final List<String> SUFFIXES =
      List.of(
          ".localhost",
          ".local",
          ".internal",
          ".intranet",
          ".localdomain",
          ".lan",
          ".home.arpa",
          ".localtest.me",
          ".lvh.me",
          ".nip.io",
          ".sslip.io",
          ".xip.io");

  private NonPublicHosts() {}

  /** Whether the host is a metadata service, which no setting opens. */
  static boolean isMetadata(Host host) {
    return METADATA.contains(host)
        || (host instanceof Ipv6 address
            && address.embedded().filter(METADATA::contains).isPresent());
  }

  /** Whether the host is private or reserved; an owner may open these. */
  static boolean isPrivate(Host host) {
    return switch (host) {
      case Ipv4 address -> AddressRanges.isPrivate(address);
      case Ipv6 address ->
          AddressRanges.isPrivate(address)
              || address.embedded().filter(AddressRanges::isPrivate).isPresent();
      case HostName name -> isPrivateName(name.text());
    };
  }

  /** Whether the host is this machine, spelled plainly (validator catalogue 3.5). */
  static boolean isLoopback(Host host) {
    return switch (host) {
      case Ipv4 address -> address.bits() >>> 24 == 127;
      case Ipv6 address -> address.high() == 0 && address.low() == 1;
      case HostName name -> name.text().equals("localhost");
    };
  }

  private static boolean isPrivateName(String name) {
    if (name.indexOf('.') < 0 || NAMES.contains(name)) {
      return true;
    }
    for (String suffix : SUFFIXES) {
      if (name.endsWith(suffix)) {
        return true;
      }
    }
    return false;
  }
}
