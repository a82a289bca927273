package dev.safeconduct.webhook;

import dev.safeconduct.config.AddressRange;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Where deliveries may go. A receiver's URL comes from a tenant, and the service stands inside the
 * operator's network: without a guard it would be a way in (server-side request forgery). Addresses
 * are judged after names have been looked up, and the address judged is the one connected to.
 *
 * @param operatorsMayBePrivate whether the operator's own receivers may have loopback and private
 *     addresses
 * @param othersMayBePrivate whether those of organizations may
 */
record AddressGuard(boolean operatorsMayBePrivate, boolean othersMayBePrivate) {
  /** Never a receiver, whatever is configured. */
  private static final List<Block> NEVER =
      List.of(
          new Block("link-local", "169.254.0.0/16"),
          new Block("link-local", "fe80::/10"),
          // Metadata services of clouds outside the link-local range, where the machine's own
          // credentials can be had.
          new Block("a cloud's metadata service", "100.100.100.200"),
          new Block("a cloud's metadata service", "168.63.129.16"),
          new Block("a cloud's metadata service", "192.0.0.192"),
          new Block("a cloud's metadata service", "fd00:ec2::/32"),
          new Block("a cloud's metadata service", "fd00:42::42"),
          new Block("a cloud's metadata service", "fd00:c1::a9fe:a9fe"),
          new Block("a cloud's metadata service", "fd20:ce::254"),
          new Block("no host's address", "0.0.0.0/8"),
          new Block("no host's address", "::"),
          new Block("multicast", "224.0.0.0/4"),
          new Block("multicast", "ff00::/8"),
          new Block("reserved", "240.0.0.0/4"),
          // Teredo holds two IPv4 addresses, one of them scrambled.
          new Block("a tunnel's", "2001::/32"));

  /** Inside the machine or its network, or for documentation and tests (RFC 6890). */
  private static final List<Block> PRIVATE =
      List.of(
          new Block("loopback", "127.0.0.0/8"),
          new Block("loopback", "::1"),
          new Block("private", "10.0.0.0/8"),
          new Block("private", "100.64.0.0/10"),
          new Block("private", "172.16.0.0/12"),
          new Block("private", "192.168.0.0/16"),
          new Block("private", "192.0.0.0/24"),
          new Block("private", "192.88.99.0/24"),
          new Block("private", "198.18.0.0/15"),
          new Block("private", "192.0.2.0/24"),
          new Block("private", "198.51.100.0/24"),
          new Block("private", "203.0.113.0/24"),
          new Block("private", "fc00::/7"),
          new Block("private", "fec0::/10"),
          new Block("private", "100::/64"),
          new Block("private", "2001:10::/28"),
          new Block("private", "2001:20::/28"),
          new Block("private", "2001:db8::/32"),
          new Block("private", "3fff::/20"),
          new Block("private", "5f00::/16"),
          new Block("private", "64:ff9b:1::/48"));

  /** Ports of other protocols that would read a request as commands of their own. */
  private static final Set<Integer> PORTS =
      Set.of(
          1, 7, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
          102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389,
          427, 445, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601,
          636, 989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 2375, 2379, 3306, 3389, 3659,
          4045, 4190, 5060, 5061, 5432, 5900, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
          6697, 9042, 10080, 11211, 27017);

  private record Block(String what, AddressRange range) {
    Block(String what, String range) {
      this(what, AddressRange.parse(range).orElseThrow());
    }
  }

  /**
   * Why nothing is delivered there, as the end of a sentence.
   *
   * @param configurable whether a setting opens it
   */
  record Refusal(String why, boolean configurable) {}

  /** Why no connection is made to the port; no setting opens it. */
  static Optional<Refusal> port(int port) {
    return PORTS.contains(port)
        ? Optional.of(new Refusal("port " + port + " belongs to another protocol", false))
        : Optional.empty();
  }

  /** Why no connection is made to the address. */
  Optional<Refusal> address(InetAddress address, boolean operators) {
    List<InetAddress> meant = EmbeddedIpv4.both(address);
    Optional<Refusal> never = refusal(address, meant, NEVER, false);
    if (never.isPresent() || (operators ? operatorsMayBePrivate : othersMayBePrivate)) {
      return never;
    }
    return refusal(address, meant, PRIVATE, true);
  }

  private static Optional<Refusal> refusal(
      InetAddress shown, List<InetAddress> meant, List<Block> blocks, boolean configurable) {
    for (InetAddress each : meant) {
      for (Block block : blocks) {
        if (block.range().contains(each)) {
          return Optional.of(
              new Refusal(
                  "the address " + shown.getHostAddress() + " is " + block.what(), configurable));
        }
      }
    }
    return Optional.empty();
  }
}
