package dev.safeconduct.decision.url;

import dev.safeconduct.net.IpAddress;
import dev.safeconduct.net.Ipv4;
import dev.safeconduct.net.Ipv6;
import dev.safeconduct.net.NonPublicHosts;
import java.util.Collections;
import java.util.Optional;

/** A host that is an address and not a name. */
record HostAddress(IpAddress address) implements Host {
  @Override
  public String text() {
    return address instanceof Ipv6 ? "[" + address.text() + "]" : address.text();
  }

  @Override
  public Optional<NonPublicHosts.Kind> kind() {
    return NonPublicHosts.kind(address);
  }

  @Override
  public boolean isLoopback() {
    return switch (address) {
      case Ipv4 v4 -> v4.bits() >>> 24 == 127;
      case Ipv6 v6 -> v6.high() == 0 && v6.low() == 1;
    };
  }

  /** Whether a connection to one of the two may reach what a connection to the other does. */
  boolean overlaps(HostAddress other) {
    return !Collections.disjoint(address.meant(), other.address.meant());
  }
}
