package dev.safeconduct.decision.url;

import dev.safeconduct.net.IpAddress;
import dev.safeconduct.net.Ipv4;
import dev.safeconduct.net.Ipv6;
import dev.safeconduct.net.NonPublicHosts;
import dev.safeconduct.text.Folding;
import java.util.Collections;
import java.util.Optional;

/**
 * The host of a URL in one canonical form: a name or an address (validator catalogue 3.1, points 4
 * and 5).
 */
public sealed interface Host {
  /** The longest name DNS can hold in text (RFC 1035 section 2.3.4, without the root's dot). */
  int MAX_LENGTH = 253;

  /** The host as a URL writes it; parsing it gives this host again. */
  String text();

  /** What the host is when it is not public (validator catalogue 3.3); empty when it is. */
  Optional<NonPublicHosts.Kind> kind();

  /** Whether the host is this machine, spelled plainly (validator catalogue 3.5). */
  boolean isLoopback();

  /**
   * Reads the host part of an authority.
   *
   * @return empty when the text is neither a name of ASCII letters, digits, {@code . _ -}, nor an
   *     address
   */
  static Optional<Host> parse(String text) {
    if (text.startsWith("[")) {
      return text.endsWith("]")
          ? Ipv6.parse(text.substring(1, text.length() - 1)).map(Address::new)
          : Optional.empty();
    }
    if (text.length() > MAX_LENGTH + 1 || !Ascii.isHostText(text)) {
      return Optional.empty();
    }
    String name =
        Folding.asciiLower(text.endsWith(".") ? text.substring(0, text.length() - 1) : text);
    if (name.isEmpty()
        || name.length() > MAX_LENGTH
        || name.startsWith(".")
        || name.endsWith(".")
        || name.contains("..")) {
      return Optional.empty();
    }
    return Ipv4.looksLikeOne(name)
        ? Ipv4.parse(name).map(Address::new)
        : Optional.of(new Name(name));
  }

  /** A host name: lower case, without a trailing dot. */
  record Name(String text) implements Host {
    @Override
    public Optional<NonPublicHosts.Kind> kind() {
      return NonPublicHosts.kind(text);
    }

    @Override
    public boolean isLoopback() {
      return text.equals("localhost");
    }

    /** Whether this is a name below the other one. */
    boolean isBelow(Name other) {
      int split = text.length() - other.text.length() - 1;
      return split > 0 && text.charAt(split) == '.' && text.endsWith(other.text);
    }
  }

  /** A host that is an address and not a name. */
  record Address(IpAddress address) implements Host {
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
    boolean overlaps(Address other) {
      return !Collections.disjoint(address.meant(), other.address.meant());
    }
  }
}
