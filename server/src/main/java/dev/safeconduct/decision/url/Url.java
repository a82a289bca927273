package dev.safeconduct.decision.url;

import dev.safeconduct.text.Folding;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A strictly parsed URL (validator catalogue 3.1). A text that programs parse differently is not a
 * valid URL.
 *
 * @param scheme lower case
 * @param userInfo the text before {@code @}; present but empty for {@code http://@host}
 * @param port the written port, else the scheme's own
 * @param path as written: empty, or beginning with {@code /}
 */
public record Url(
    String scheme,
    Optional<String> userInfo,
    Host host,
    int port,
    String path,
    Optional<String> query,
    Optional<String> fragment) {
  /** The schemes that an agent may fetch. */
  public static final Set<String> WEB = Set.of("http", "https");

  /** The schemes of MCP servers. */
  public static final Set<String> MCP = Set.of("http", "https", "ws", "wss");

  /** Whether requests to it are encrypted. */
  public boolean isSecure() {
    return scheme.equals("https") || scheme.equals("wss");
  }

  /**
   * Reads a URL.
   *
   * @param schemes the schemes accepted, in lower case, out of {@link #MCP}
   * @return empty when the text is not a valid URL with one of the schemes
   */
  public static Optional<Url> parse(String text, Set<String> schemes) {
    int colon = text.indexOf("://");
    if (colon < 0 || colon > 5 || Ascii.holdsForbidden(text)) {
      return Optional.empty();
    }
    String scheme = Folding.asciiLower(text.substring(0, colon));
    if (!schemes.contains(scheme)) {
      return Optional.empty();
    }
    int start = colon + 3;
    int end = Ascii.indexOfAny(text, "/?#", start);
    int at = text.lastIndexOf('@', end - 1);
    if (at >= start && text.lastIndexOf('@', at - 1) >= start) {
      return Optional.empty();
    }
    Optional<String> user = at >= start ? Optional.of(text.substring(start, at)) : Optional.empty();
    Optional<HostPort> authority =
        HostPort.split(text.substring(at >= start ? at + 1 : start, end));
    Optional<Host> host = authority.flatMap(split -> Host.parse(split.host()));
    if (host.isEmpty()) {
      return Optional.empty();
    }
    OptionalInt port = authority.get().port();
    int hash = Ascii.indexOfAny(text, "#", end);
    int question = Math.min(Ascii.indexOfAny(text, "?", end), hash);
    return Optional.of(
        new Url(
            scheme,
            user,
            host.get(),
            port.orElse(scheme.equals("http") || scheme.equals("ws") ? 80 : 443),
            text.substring(end, question),
            question < hash ? Optional.of(text.substring(question + 1, hash)) : Optional.empty(),
            hash < text.length() ? Optional.of(text.substring(hash + 1)) : Optional.empty()));
  }

  /**
   * The end of an authority, split but not validated: the host's text and the written port.
   *
   * @param port empty when there is none, or nothing after the colon
   */
  record HostPort(String host, OptionalInt port) {
    private static final int MAX_PORT = 65535;

    static Optional<HostPort> split(String text) {
      int colon = text.indexOf(':');
      if (text.startsWith("[")) {
        int close = text.indexOf(']');
        if (close < 0 || (close + 1 < text.length() && text.charAt(close + 1) != ':')) {
          return Optional.empty();
        }
        colon = close + 1 < text.length() ? close + 1 : -1;
      }
      if (colon < 0) {
        return Optional.of(new HostPort(text, OptionalInt.empty()));
      }
      String host = text.substring(0, colon);
      if (colon + 1 == text.length()) {
        return Optional.of(new HostPort(host, OptionalInt.empty()));
      }
      int port = 0;
      for (int i = colon + 1; i < text.length(); i++) {
        char c = text.charAt(i);
        port = Ascii.isDigit(c) ? port * 10 + (c - '0') : MAX_PORT + 1;
        if (port > MAX_PORT) {
          return Optional.empty();
        }
      }
      return Optional.of(new HostPort(host, OptionalInt.of(port)));
    }
  }
}
