package dev.safeconduct.decision.url;

import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.text.Folding;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One entry of a domain list: {@code *}, a host, {@code *.host}, each with an optional port, or a
 * URL (validator catalogue 3.2).
 *
 * @param path as written, without slashes and stars at its end; empty for any path
 */
record DomainEntry(
    Optional<String> scheme, Reach reach, Optional<Host> host, OptionalInt port, String path) {
  private static final String BELOW = "*.";

  /** The hosts that an entry matches. */
  enum Reach {
    ANY_HOST,
    /** The host and, for a name, all names below it. */
    HOST_AND_BELOW,
    BELOW_HOST
  }

  /**
   * Reads an entry.
   *
   * @param text trimmed
   * @return empty for an entry that never matches
   */
  static Optional<DomainEntry> parse(String text) {
    int colon = text.indexOf("://");
    boolean hasScheme = colon >= 0 && Ascii.indexOfAny(text, "/?#", 0) > colon;
    boolean isUrl = hasScheme || text.indexOf('/') >= 0;
    int start = hasScheme ? colon + 3 : 0;
    int end = isUrl ? Ascii.indexOfAny(text, "/?#", start) : text.length();
    int at = isUrl ? text.lastIndexOf('@', end - 1) : -1;
    if (at >= start && text.lastIndexOf('@', at - 1) >= start) {
      return Optional.empty();
    }
    Optional<String> scheme =
        hasScheme ? Optional.of(Folding.asciiLower(text.substring(0, colon))) : Optional.empty();
    int query = Ascii.indexOfAny(text, "?#", end); // the query is ignored
    if (text.isEmpty() || Ascii.holdsForbidden(text.substring(0, query))) {
      return Optional.empty();
    }
    String path = NamePatterns.trimEnd(text.substring(end, query), "/*");
    String authority = text.substring(Math.max(start, at + 1), end);
    return authority.startsWith(BELOW)
        ? Url.HostPort.split(authority.substring(BELOW.length()))
            .flatMap(host -> named(scheme, Reach.BELOW_HOST, host, path))
        : Url.HostPort.split(authority)
            .flatMap(host -> named(scheme, Reach.HOST_AND_BELOW, host, path));
  }

  private static Optional<DomainEntry> named(
      Optional<String> scheme, Reach reach, Url.HostPort named, String path) {
    if (reach == Reach.HOST_AND_BELOW && named.host().equals("*")) {
      return Optional.of(
          new DomainEntry(scheme, Reach.ANY_HOST, Optional.empty(), named.port(), path));
    }
    return Host.parse(named.host())
        .filter(host -> reach == Reach.HOST_AND_BELOW || host instanceof Host.Name)
        .map(host -> new DomainEntry(scheme, reach, Optional.of(host), named.port(), path));
  }

  boolean allows(Url url) {
    return hasOrigin(url)
        && covers(url.host(), false)
        && LexicalPath.isWithin(UrlPath.normal(url.path()), UrlPath.normal(path));
  }

  /**
   * As {@link #allows}, but {@code *} alone never blocks, {@code *.host} includes the host, an
   * address includes those that carry it, and a path includes its other spellings.
   */
  boolean blocks(Url url) {
    return !(reach == Reach.ANY_HOST && isForHosts())
        && hasOrigin(url)
        && covers(url.host(), true)
        && UrlPath.mayLieBelow(url.path(), path);
  }

  /** Whether the entry is for hosts alone: without scheme, port and path. */
  boolean isForHosts() {
    return scheme.isEmpty() && port.isEmpty() && path.isEmpty();
  }

  /**
   * Whether the host is the entry's or below it.
   *
   * @param itself whether {@code *.host} covers the host too; then an address covers those that
   *     carry it as well
   */
  boolean covers(Host asked, boolean itself) {
    if (host.isEmpty()) {
      return true;
    }
    return switch (host.get()) {
      case Host.Name parent when asked instanceof Host.Name name ->
          name.isBelow(parent) || (name.equals(parent) && (reach != Reach.BELOW_HOST || itself));
      case Host.Address own when itself && asked instanceof Host.Address other ->
          own.overlaps(other);
      case Host own -> own.equals(asked);
    };
  }

  private boolean hasOrigin(Url url) {
    return (scheme.isEmpty() || scheme.get().equals(url.scheme()))
        && (port.isEmpty() || port.getAsInt() == url.port());
  }
}
