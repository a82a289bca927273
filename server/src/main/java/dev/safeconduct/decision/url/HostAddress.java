package dev.safeconduct.decision.url;

import dev.safeconduct.net.IpAddress;
import dev.safeconduct.net.Ipv6;

/** A host that is an address and not a name. */
record HostAddress(IpAddress address) implements Host {
  @Override
  public String text() {
    return address instanceof Ipv6 ? "[" + address.text() + "]" : address.text();
  }
}
