package dev.safeconduct.http;

import dev.safeconduct.config.AddressRange;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * Finds the client's address: the peer's, or, when the peer is a trusted proxy, the last address of
 * {@code X-Forwarded-For} that is not one. Whatever stands left of that is the client's own claim.
 */
final class ClientAddress {
  private final List<AddressRange> trusted;

  ClientAddress(List<AddressRange> trusted) {
    this.trusted = trusted;
  }

  /** Whether the forwarding header can matter at all. */
  boolean trustsAny() {
    return !trusted.isEmpty();
  }

  String of(InetAddress peer, List<String> forwardedFor) {
    InetAddress client = peer;
    String[] hops = String.join(",", forwardedFor).split(",", -1);
    for (int i = hops.length - 1; i >= 0 && isTrusted(client); i--) {
      Optional<InetAddress> hop = parse(hops[i].strip());
      if (hop.isEmpty()) {
        break;
      }
      client = hop.get();
    }
    return text(client);
  }

  static String text(InetAddress address) {
    String text = address.getHostAddress();
    int zone = text.indexOf('%');
    return zone < 0 ? text : text.substring(0, zone);
  }

  private boolean isTrusted(InetAddress address) {
    for (AddressRange range : trusted) {
      if (range.contains(address)) {
        return true;
      }
    }
    return false;
  }

  /** An address, perhaps with a port: {@code 192.0.2.1:80}, {@code [2001:db8::1]:80}. */
  private static Optional<InetAddress> parse(String hop) {
    String address = hop;
    int bracket = hop.indexOf(']');
    if (hop.startsWith("[") && bracket > 0) {
      address = hop.substring(1, bracket);
    } else if (hop.indexOf(':') == hop.lastIndexOf(':') && hop.indexOf(':') > 0) {
      address = hop.substring(0, hop.indexOf(':'));
    }
    return AddressRange.parse(address)
        .filter(range -> range.prefixBits() == range.network().getAddress().length * 8)
        .map(AddressRange::network);
  }
}
