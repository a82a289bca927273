package dev.safeconduct.decision.url;

import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.text.Folding;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One entry of a domain list: {@code *}, a host, {@code *.host}, each with an optional port, or a
 * URL (validator catalogue 3.2).
 *
 * @param path normal; {@code /} for any path
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
    String path = directory(text.substring(end, query));
    String authority = text.substring(Math.max(start, at + 1), end);
    return authority.startsWith(BELOW)
        ? HostPort.split(authority.substring(BELOW.length()))
            .flatMap(host -> named(scheme, Reach.BELOW_HOST, host, path))
        : HostPort.split(authority)
            .flatMap(host -> named(scheme, Reach.HOST_AND_BELOW, host, path));
  }

  private static Optional<DomainEntry> named(
      Optional<String> scheme, Reach reach, HostPort named, String path) {
    if (reach == Reach.HOST_AND_BELOW && named.host().equals("*")) {
      return Optional.of(
          new DomainEntry(scheme, Reach.ANY_HOST, Optional.empty(), named.port(), path));
    }
    return Host.parse(named.host())
        .map(host -> new DomainEntry(scheme, reach, Optional.of(host), named.port(), path));
  }

  private static String directory(String path) {
    int end = path.length();
    while (end > 0 && (path.charAt(end - 1) == '/' || path.charAt(end - 1) == '*')) {
      end--;
    }
    return UrlPath.normal(path.substring(0, end));
  }

  boolean allows(Url url) {
    return reaches(url.host(), false) && fits(url);
  }

  /** As {@link #allows}, but {@code *} alone never blocks and {@code *.host} includes the host. */
  boolean blocks(Url url) {
    boolean everything =
        reach == Reach.ANY_HOST && scheme.isEmpty() && port.isEmpty() && path.equals("/");
    return !everything && reaches(url.host(), true) && fits(url);
  }

  private boolean reaches(Host asked, boolean blocking) {
    if (host.isEmpty()) {
      return true;
    }
    Host own = host.get();
    if (asked.equals(own)) {
      return reach == Reach.HOST_AND_BELOW || blocking;
    }
    return asked instanceof HostName name && own instanceof HostName parent && name.isBelow(parent);
  }

  private boolean fits(Url url) {
    return (scheme.isEmpty() || scheme.get().equals(url.scheme()))
        && (port.isEmpty() || port.getAsInt() == url.port())
        && (path.equals("/") || LexicalPath.isWithin(UrlPath.normal(url.path()), path));
  }
}
