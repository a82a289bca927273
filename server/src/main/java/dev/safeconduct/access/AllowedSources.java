package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.Members;
import dev.safeconduct.net.AddressRange;
import dev.safeconduct.net.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The client addresses from which an API key is accepted.
 *
 * @param ranges none for any address
 */
public record AllowedSources(List<AddressRange> ranges) {
  /** Any address. */
  public static final AllowedSources ANY = new AllowedSources(List.of());

  /** The member of requests and answers. */
  static final String MEMBER = "allowed_sources";

  private static final int MOST = 50;
  private static final int MAX_LENGTH = 50;

  public AllowedSources {
    ranges = List.copyOf(ranges);
  }

  /**
   * Reads the member of a request.
   *
   * @return empty when it is absent
   * @throws dev.safeconduct.error.ProblemException 400 naming the element that is not a range
   */
  static Optional<AllowedSources> of(Members body) {
    return body.lines(MEMBER, MOST, MAX_LENGTH)
        .map(texts -> {
          var ranges = new ArrayList<AddressRange>();
          for (int i = 0; i < texts.size(); i++) {
            ranges.add(range(texts.get(i), body.path(MEMBER) + "[" + i + "]"));
          }
          return new AllowedSources(ranges);
        });
  }

  private static AddressRange range(String text, String at) {
    return AddressRange.parse(text)
        .orElseThrow(() ->
            ProblemException.invalid(
                at,
                at
                    + " is not a valid IP address or CIDR range, for example 192.0.2.0/24"
                    + " or 2001:db8::/32."));
  }

  /** Reads what {@link #stored} wrote. A range that does not parse is a fault, not a wider key. */
  static AllowedSources stored(String text) {
    return text.isEmpty()
        ? ANY
        : new AllowedSources(
            List.of(text.split(" ", -1)).stream()
                .map(range -> AddressRange.parse(range).orElseThrow())
                .toList());
  }

  /** Returns the ranges with a blank between two. */
  String stored() {
    return String.join(" ", texts());
  }

  JsonArray json() {
    return JsonArray.ofStrings(texts());
  }

  private List<String> texts() {
    return ranges.stream().map(AddressRange::text).toList();
  }

  /**
   * Returns whether a key may be used from there.
   *
   * @param address a client address as text; other text is in no range
   */
  boolean permits(String address) {
    if (ranges.isEmpty()) {
      return true;
    }
    Optional<IpAddress> client = IpAddress.parse(address);
    return client.isPresent() && ranges.stream().anyMatch(range -> range.contains(client.get()));
  }

  /** Returns whether these permit each address that the others permit, by whole ranges. */
  boolean cover(AllowedSources others) {
    return ranges.isEmpty()
        || (!others.ranges.isEmpty()
            && others.ranges.stream()
                .allMatch(other -> ranges.stream().anyMatch(ours -> ours.contains(other))));
  }
}
