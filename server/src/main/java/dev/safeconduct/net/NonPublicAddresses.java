package dev.safeconduct.net;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The table of addresses that are not public (RFC 6890 and the metadata services of clouds).
 * Decisions and webhooks use the same rows. Decisions refuse only the rows that their catalogue
 * lists (validator catalogue 3.3), so each row has a value for them; webhooks refuse every row.
 */
public final class NonPublicAddresses {
  /** The kind of a row's addresses. */
  public enum Kind {
    LINK_LOCAL("link-local"),
    /** Services that give out a machine's own credentials. */
    METADATA("a cloud's metadata service"),
    UNSPECIFIED("no host's address"),
    MULTICAST("multicast"),
    RESERVED("reserved"),
    /** Tunnels; Teredo embeds two IPv4 addresses, one of them obfuscated. */
    TUNNEL("a tunnel's"),
    LOOPBACK("loopback"),
    /** Inside an organization's network, or for documentation and tests. */
    PRIVATE("private");

    private final String wording;

    Kind(String wording) {
      this.wording = wording;
    }

    /** Returns the end of a sentence that begins "its address is". */
    public String wording() {
      return wording;
    }
  }

  /** The effect of a row on decisions. */
  private enum ToDecisions {
    /** An owner may allow it. */
    PRIVATE,
    /** No setting allows it. */
    METADATA,
    /** Not yet listed in the catalogue. */
    UNLISTED
  }

  private record Row(Kind kind, AddressRange range, ToDecisions toDecisions) {}

  /** Webhooks report the first matching row, so addresses that no setting allows come first. */
  private static final List<Row> TABLE =
      List.of(
          row(Kind.LINK_LOCAL, "169.254.0.0/16", ToDecisions.PRIVATE),
          row(Kind.LINK_LOCAL, "fe80::/10", ToDecisions.PRIVATE),
          row(Kind.METADATA, "169.254.169.254", ToDecisions.METADATA),
          row(Kind.METADATA, "169.254.170.2", ToDecisions.METADATA),
          row(Kind.METADATA, "100.100.100.200", ToDecisions.METADATA),
          row(Kind.METADATA, "168.63.129.16", ToDecisions.UNLISTED),
          row(Kind.METADATA, "192.0.0.192", ToDecisions.UNLISTED),
          row(Kind.METADATA, "fd00:ec2::254", ToDecisions.METADATA),
          row(Kind.METADATA, "fd00:ec2::/32", ToDecisions.UNLISTED),
          row(Kind.METADATA, "fd00:42::42", ToDecisions.UNLISTED),
          row(Kind.METADATA, "fd00:c1::a9fe:a9fe", ToDecisions.UNLISTED),
          row(Kind.METADATA, "fd20:ce::254", ToDecisions.UNLISTED),
          row(Kind.UNSPECIFIED, "0.0.0.0/8", ToDecisions.PRIVATE),
          row(Kind.UNSPECIFIED, "::", ToDecisions.PRIVATE),
          row(Kind.MULTICAST, "224.0.0.0/4", ToDecisions.PRIVATE),
          row(Kind.MULTICAST, "ff00::/8", ToDecisions.PRIVATE),
          row(Kind.RESERVED, "240.0.0.0/4", ToDecisions.PRIVATE),
          row(Kind.TUNNEL, "2001::/32", ToDecisions.UNLISTED),
          row(Kind.LOOPBACK, "127.0.0.0/8", ToDecisions.PRIVATE),
          row(Kind.LOOPBACK, "::1", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "10.0.0.0/8", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "100.64.0.0/10", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "172.16.0.0/12", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "192.168.0.0/16", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "192.0.0.0/24", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "192.88.99.0/24", ToDecisions.UNLISTED),
          row(Kind.PRIVATE, "198.18.0.0/15", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "192.0.2.0/24", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "198.51.100.0/24", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "203.0.113.0/24", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "fc00::/7", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "fec0::/10", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "100::/64", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "2001:10::/28", ToDecisions.UNLISTED),
          row(Kind.PRIVATE, "2001:20::/28", ToDecisions.UNLISTED),
          row(Kind.PRIVATE, "2001:db8::/32", ToDecisions.PRIVATE),
          row(Kind.PRIVATE, "3fff::/20", ToDecisions.UNLISTED),
          row(Kind.PRIVATE, "5f00::/16", ToDecisions.UNLISTED),
          row(Kind.PRIVATE, "64:ff9b:1::/48", ToDecisions.UNLISTED));

  /** The embeddings that decisions decode, as the catalogue requires. */
  private static final Set<Ipv6.Embedding> SEEN_BY_DECISIONS =
      EnumSet.of(
          Ipv6.Embedding.MAPPED,
          Ipv6.Embedding.COMPATIBLE,
          Ipv6.Embedding.NAT64,
          Ipv6.Embedding.SIX_TO_FOUR);

  private static final Set<Ipv6.Embedding> ALL_EMBEDDINGS = EnumSet.allOf(Ipv6.Embedding.class);

  private static final List<AddressRange> DECISIONS_PRIVATE = ranges(ToDecisions.PRIVATE);
  private static final List<AddressRange> DECISIONS_METADATA = ranges(ToDecisions.METADATA);

  private NonPublicAddresses() {}

  private static Row row(Kind kind, String range, ToDecisions toDecisions) {
    return new Row(kind, AddressRange.parse(range).orElseThrow(), toDecisions);
  }

  private static List<AddressRange> ranges(ToDecisions wanted) {
    return TABLE.stream().filter(row -> row.toDecisions() == wanted).map(Row::range).toList();
  }

  /** Returns whether decisions treat the address, or an embedded one, as private or reserved. */
  public static boolean isPrivateToDecisions(IpAddress address) {
    return isIn(DECISIONS_PRIVATE, address);
  }

  /** Returns whether decisions treat the address, or an embedded one, as a metadata service. */
  public static boolean isMetadataToDecisions(IpAddress address) {
    return isIn(DECISIONS_METADATA, address);
  }

  private static boolean isIn(List<AddressRange> ranges, IpAddress address) {
    for (IpAddress each : meant(address, SEEN_BY_DECISIONS)) {
      for (AddressRange range : ranges) {
        if (range.contains(each)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Returns the first of these kinds that matches the address, or one it embeds in any form.
   *
   * @return empty when no kind matches
   */
  public static Optional<Kind> kind(IpAddress address, Set<Kind> kinds) {
    for (IpAddress each : meant(address, ALL_EMBEDDINGS)) {
      for (Row row : TABLE) {
        if (kinds.contains(row.kind()) && row.range().contains(each)) {
          return Optional.of(row.kind());
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the address, and those it embeds. */
  private static List<IpAddress> meant(IpAddress address, Set<Ipv6.Embedding> forms) {
    if (!(address instanceof Ipv6 ipv6)) {
      return List.of(address);
    }
    var all = new ArrayList<IpAddress>();
    all.add(address);
    for (Ipv6.Embedded embedded : ipv6.embedded()) {
      if (forms.contains(embedded.form())) {
        all.add(embedded.address());
      }
    }
    return all;
  }
}
