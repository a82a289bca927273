package dev.safeconduct.net;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** An IPv4 or IPv6 address. */
public sealed interface IpAddress permits Ipv4, Ipv6 {
  /**
   * Parses four decimal numbers with dots between, or a text form of RFC 4291 section 2.2. An
   * IPv4-mapped IPv6 address ({@code ::ffff:0:0/96}) becomes that IPv4 address, as in {@link
   * java.net.InetAddress}.
   */
  static Optional<IpAddress> parse(String text) {
    if (text.indexOf(':') < 0) {
      return Ipv4.parseDotted(text).map(address -> address);
    }
    return Ipv6.parse(text)
        .map(address -> address.mapped().<IpAddress>map(v4 -> v4).orElse(address));
  }

  /** Returns the address of bytes in network order: 4 bytes, or 16. */
  static IpAddress of(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return switch (bytes.length) {
      case 4 -> new Ipv4(buffer.getInt());
      case 16 -> new Ipv6(buffer.getLong(), buffer.getLong());
      default -> throw new IllegalArgumentException("an IP address has 4 or 16 bytes");
    };
  }

  /** Returns this address, and those that a connection to it may reach in its place. */
  default List<IpAddress> meant() {
    return List.of(this);
  }

  /**
   * Returns the name under which rate limits count a client's address. For IPv6 this is its /64,
   * because one client has all addresses of such a network. Other text is returned as it is.
   */
  static String network(String address) {
    return address.indexOf(':') >= 0
            && parse(address).orElse(null) instanceof Ipv6(long high, long _)
        ? new Ipv6(high, 0).text() + "/64"
        : address;
  }

  /** Returns the canonical form; for IPv6 that of RFC 5952. */
  String text();
}
