package dev.safeconduct.webhook.delivery;

import dev.safeconduct.net.IpAddress;
import dev.safeconduct.net.NonPublicAddresses;
import dev.safeconduct.net.NonPublicAddresses.Kind;
import java.net.InetAddress;
import java.util.EnumSet;
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
public record AddressGuard(boolean operatorsMayBePrivate, boolean othersMayBePrivate) {
  /** Any of these may be a receiver's where a setting opens them; the other kinds never are. */
  private static final Set<Kind> CONFIGURABLE = EnumSet.of(Kind.LOOPBACK, Kind.PRIVATE);

  private static final Set<Kind> NEVER = EnumSet.complementOf(EnumSet.copyOf(CONFIGURABLE));

  /** Ports of other protocols that would read a request as commands of their own. */
  private static final Set<Integer> PORTS =
      Set.of(
          1, 7, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
          102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389,
          427, 445, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601,
          636, 989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 2375, 2379, 3306, 3389, 3659,
          4045, 4190, 5060, 5061, 5432, 5900, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
          6697, 9042, 10080, 11211, 27017);

  /**
   * Why nothing is delivered there, as the end of a sentence.
   *
   * @param configurable whether a setting opens it
   */
  public record Refusal(String why, boolean configurable) {}

  /** Why no connection is made to the port; no setting opens it. */
  public static Optional<Refusal> port(int port) {
    return PORTS.contains(port)
        ? Optional.of(new Refusal("port " + port + " belongs to another protocol", false))
        : Optional.empty();
  }

  /** Why no connection is made to the address. */
  public Optional<Refusal> address(InetAddress address, boolean operators) {
    IpAddress judged = IpAddress.of(address.getAddress());
    Optional<Refusal> never = refusal(judged, NEVER, false);
    if (never.isPresent() || (operators ? operatorsMayBePrivate : othersMayBePrivate)) {
      return never;
    }
    return refusal(judged, CONFIGURABLE, true);
  }

  /** The address itself is not named: what a name stands for inside the network is not told. */
  private static Optional<Refusal> refusal(
      IpAddress address, Set<Kind> kinds, boolean configurable) {
    return NonPublicAddresses.kind(address, kinds)
        .map(kind -> new Refusal("its address is " + kind.wording(), configurable));
  }
}
