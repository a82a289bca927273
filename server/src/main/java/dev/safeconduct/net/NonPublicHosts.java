package dev.safeconduct.net;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The table of addresses and names that are not public (validators section 3.3; RFC 6890, and the
 * metadata services of clouds). Decisions and webhooks use the same table.
 */
public final class NonPublicHosts {
  /** What a host is. The first six are never connected to; a setting may open the last two. */
  public enum Kind {
    LINK_LOCAL("link-local"),
    /** Services that give out a machine's own credentials, and others of a cloud's platform. */
    METADATA("a cloud's metadata service"),
    UNSPECIFIED("no host's address"),
    MULTICAST("multicast"),
    RESERVED("reserved"),
    /** Tunnels and translators, which hide the address that is meant. */
    TUNNEL("a tunnel's"),
    LOOPBACK("loopback"),
    /** Inside an organization's network, or for documentation and tests. */
    PRIVATE("private");

    private final String wording;

    Kind(String wording) {
      this.wording = wording;
    }

    /** Whether no limit and no setting opens it. */
    public boolean isNever() {
      return compareTo(LOOPBACK) < 0;
    }

    /** Returns the end of a sentence that begins "its address is". */
    public String wording() {
      return wording;
    }
  }

  private record Row(Kind kind, AddressRange range) {}

  /** Addresses that nothing opens come first: the first row that matches is the answer. */
  private static final List<Row> ADDRESSES =
      Stream.of(
              rows(Kind.LINK_LOCAL, "169.254.0.0/16 fe80::/10"),
              rows(
                  Kind.METADATA,
                  "100.100.100.200 168.63.129.16 192.0.0.192",
                  "fd00:ec2::/32 fd20:ce::254 fd00:42::42 fd00:c1::a9fe:a9fe"),
              rows(Kind.UNSPECIFIED, "0.0.0.0/8 ::"),
              rows(Kind.MULTICAST, "224.0.0.0/4 ff00::/8"),
              rows(Kind.RESERVED, "240.0.0.0/4"),
              rows(Kind.TUNNEL, "2001::/32 64:ff9b:1::/48"),
              rows(Kind.LOOPBACK, "127.0.0.0/8 ::1"),
              rows(
                  Kind.PRIVATE,
                  "10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24",
                  "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24",
                  "100::/63 2001:10::/28 2001:20::/28 2001:db8::/32 3fff::/20 5f00::/16",
                  "fc00::/7 fec0::/10"))
          .flatMap(row -> row)
          .toList();

  /** These names, and every name below them. */
  private static final List<String> METADATA_NAMES =
      List.of(
          "metadata.google.internal",
          "metadata.goog",
          "metadata",
          "instance-data",
          "instance-data.ec2.internal",
          "metadata.azure.internal",
          "metadata.tencentyun.com",
          "metadata.packet.net",
          "metadata.platformequinix.com",
          "rancher-metadata");

  private static final List<String> PRIVATE_NAMES =
      List.of("localhost", "localtest.me", "lvh.me", "vcap.me", "kubernetes.default");

  /** Those from {@code .nip.io} on resolve to an address inside, or to the one in the name. */
  private static final List<String> PRIVATE_SUFFIXES =
      List.of(
          ".localhost",
          ".local",
          ".localdomain",
          ".localdomain6",
          ".internal",
          ".intranet",
          ".private",
          ".corp",
          ".home",
          ".lan",
          ".home.arpa",
          ".svc",
          ".consul",
          ".nip.io",
          ".sslip.io",
          ".xip.io",
          ".traefik.me",
          ".localtest.me",
          ".lvh.me",
          ".vcap.me");

  private NonPublicHosts() {}

  private static Stream<Row> rows(Kind kind, String... ranges) {
    return Stream.of(String.join(" ", ranges).split(" "))
        .map(range -> new Row(kind, AddressRange.parse(range).orElseThrow()));
  }

  /** Returns what the address, or one that it carries, is; empty for a public one. */
  public static Optional<Kind> kind(IpAddress address) {
    List<IpAddress> meant = address.meant();
    for (Row row : ADDRESSES) {
      for (IpAddress each : meant) {
        if (row.range().contains(each)) {
          return Optional.of(row.kind());
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Returns what the name stands for, as far as its text shows; empty for a public one.
   *
   * @param name lower case, without a trailing dot
   */
  public static Optional<Kind> kind(String name) {
    for (String each : METADATA_NAMES) {
      if (name.endsWith(each)
          && (name.length() == each.length()
              || name.charAt(name.length() - each.length() - 1) == '.')) {
        return Optional.of(Kind.METADATA);
      }
    }
    return name.indexOf('.') < 0 || PRIVATE_NAMES.contains(name) || isBelowPrivate(name)
        ? Optional.of(Kind.PRIVATE)
        : Optional.empty();
  }

  private static boolean isBelowPrivate(String name) {
    for (String suffix : PRIVATE_SUFFIXES) {
      if (name.endsWith(suffix)) {
        return true;
      }
    }
    return false;
  }
}
