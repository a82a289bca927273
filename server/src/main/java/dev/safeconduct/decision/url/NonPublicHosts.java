package dev.safeconduct.decision.url;

import dev.safeconduct.net.Ipv4;
import dev.safeconduct.net.Ipv6;
import dev.safeconduct.net.NonPublicAddresses;
import java.util.List;
import java.util.Set;

/**
 * Hosts inside the machine or its network, and cloud metadata services, as far as their text shows
 * (validator catalogue 3.3).
 */
final class NonPublicHosts {
  private static final Set<String> METADATA_NAMES =
      Set.of("metadata.google.internal", "metadata.goog", "metadata", "instance-data");

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

  /** Whether the host is a metadata service, which no setting allows. */
  static boolean isMetadata(Host host) {
    return switch (host) {
      case HostAddress at -> NonPublicAddresses.isMetadataToDecisions(at.address());
      case HostName name -> METADATA_NAMES.contains(name.text());
    };
  }

  /** Whether the host is private or reserved. An owner may allow such hosts. */
  static boolean isPrivate(Host host) {
    return switch (host) {
      case HostAddress at -> NonPublicAddresses.isPrivateToDecisions(at.address());
      case HostName name -> isPrivateName(name.text());
    };
  }

  /** Whether the host is this machine, spelled plainly (validator catalogue 3.5). */
  static boolean isLoopback(Host host) {
    return switch (host) {
      case HostAddress(Ipv4 address) -> address.bits() >>> 24 == 127;
      case HostAddress(Ipv6 address) -> address.high() == 0 && address.low() == 1;
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
