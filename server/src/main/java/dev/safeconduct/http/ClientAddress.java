package dev.safeconduct.http;

import dev.safeconduct.net.AddressRange;
import dev.safeconduct.net.IpAddress;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * Finds the client's address. This is the peer's address or, when the peer is a trusted proxy, the
 * last address of {@code X-Forwarded-For} that is not a trusted proxy. Addresses to the left of it
 * are unverified claims of the client.
 */
final class ClientAddress {
  private final List<AddressRange> trusted;

  ClientAddress(List<AddressRange> trusted) {
    this.trusted = trusted;
  }

  /** Returns whether any proxy is trusted, so that the forwarding header counts. */
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
    IpAddress judged = IpAddress.of(address.getAddress());
    for (AddressRange range : trusted) {
      if (range.contains(judged)) {
        return true;
      }
    }
    return false;
  }

  /** Parses an address with an optional port: {@code 192.0.2.1:80}, {@code [2001:db8::1]:80}. */
  private static Optional<InetAddress> parse(String hop) {
    String address = hop;
    int bracket = hop.indexOf(']');
    if (hop.startsWith("[") && bracket > 0) {
      address = hop.substring(1, bracket);
    } else if (hop.indexOf(':') == hop.lastIndexOf(':') && hop.indexOf(':') > 0) {
      address = hop.substring(0, hop.indexOf(':'));
    }
    try {
      return Optional.of(InetAddress.ofLiteral(address));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }
}
