package dev.safeconduct.http;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import java.net.URI;
import java.util.Locale;
import java.util.Set;

/**
 * Whose page sent a request, told by {@code Sec-Fetch-Site} (W3C Fetch Metadata) and, where a
 * browser does not send that, by {@code Origin} (RFC 6454).
 */
public enum Site {
  /** One of ours. */
  SAME,
  /** Somebody else's, or a link in a mail. */
  OTHER,
  /**
   * Nothing tells: no browser, an old one, or a page whose referrer policy hides its origin ({@code
   * Origin: null}).
   */
  UNKNOWN;

  private static final HeaderName FETCH_SITE = HeaderNames.create("Sec-Fetch-Site");

  /**
   * @param own our origins
   */
  static Site of(Headers headers, Set<String> own) {
    if (headers.contains(FETCH_SITE)) {
      return headers.get(FETCH_SITE).get().strip().equals("same-origin") ? SAME : OTHER;
    }
    if (!headers.contains(HeaderNames.ORIGIN)) {
      return UNKNOWN;
    }
    String origin = headers.get(HeaderNames.ORIGIN).get().strip();
    return origin.equals("null") ? UNKNOWN : own.contains(origin) ? SAME : OTHER;
  }

  /** The origin of an address: scheme, host and the port where it is not the usual one. */
  static String origin(URI address) {
    String scheme = address.getScheme().toLowerCase(Locale.ROOT);
    int port = address.getPort();
    boolean usual = port < 0 || port == (scheme.equals("https") ? 443 : 80);
    return scheme + "://" + address.getHost().toLowerCase(Locale.ROOT) + (usual ? "" : ":" + port);
  }
}
