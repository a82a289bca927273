package dev.safeconduct.webhook.delivery;

import dev.safeconduct.decision.url.Host;
import dev.safeconduct.net.IpAddress;
import dev.safeconduct.net.NonPublicHosts;
import dev.safeconduct.net.NonPublicHosts.Kind;
import java.net.InetAddress;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which addresses deliveries may go to. A tenant chooses the URL, and the service runs
 * inside the operator's network, so an open choice would be server-side request forgery. The guard
 * checks addresses after name resolution, and the connection uses the checked address.
 *
 * @param operatorsMayBePrivate whether the operator's own receivers may have loopback and private
 *     addresses
 * @param othersMayBePrivate whether those of organizations may
 */
public record AddressGuard(boolean operatorsMayBePrivate, boolean othersMayBePrivate) {
  /** Ports of other protocols, whose servers would read a request as commands. */
  private static final Set<Integer> PORTS =
      Set.of(
          1, 7, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
          102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389,
          427, 445, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601,
          636, 989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 2375, 2379, 3306, 3389, 3659,
          4045, 4190, 5060, 5061, 5432, 5900, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
          6697, 9042, 10080, 11211, 27017);

  /**
   * The reason for a refusal, as the end of a sentence.
   *
   * @param configurable whether a setting permits it
   */
  public record Refusal(String why, boolean configurable) {}

  /** Returns the reason why the port is refused; no setting permits it. */
  public static Optional<Refusal> port(int port) {
    return PORTS.contains(port)
        ? Optional.of(new Refusal("port " + port + " belongs to another protocol", false))
        : Optional.empty();
  }

  /** Returns the reason why the host is refused, as far as its text shows. */
  public Optional<Refusal> host(Host host, boolean operators) {
    return refusal(host.kind(), "its host is ", operators);
  }

  /** Returns the reason why the address is refused. */
  public Optional<Refusal> address(InetAddress address, boolean operators) {
    // Names the kind only: the address behind a name inside the network is not disclosed.
    return refusal(
        NonPublicHosts.kind(IpAddress.of(address.getAddress())), "its address is ", operators);
  }

  private Optional<Refusal> refusal(Optional<Kind> kind, String what, boolean operators) {
    boolean opened = operators ? operatorsMayBePrivate : othersMayBePrivate;
    return kind.filter(found -> found.isNever() || !opened)
        .map(found ->
            new Refusal(
                what
                    + found.wording()
                    + (found.isNever() ? "" : "; WEBHOOK_PRIVATE_NETWORKS=allow permits it"),
                !found.isNever()));
  }
}
