package dev.safeconduct.http;

import dev.safeconduct.http.server.RequestHeaders;
import java.net.URI;
import java.util.Locale;
import java.util.Set;

/**
 * The site whose page sent a request, as shown by {@code Sec-Fetch-Site} (W3C Fetch Metadata) or,
 * where a browser does not send that, by {@code Origin} (RFC 6454).
 */
public enum FetchSite {
  /** A page of this service. */
  SAME,
  /** A page of another site, or a link in an e-mail. */
  OTHER,
  /**
   * Unknown: no browser, an old browser, or a page whose referrer policy hides its origin ({@code
   * Origin: null}).
   */
  UNKNOWN;

  /**
   * Determines the site from the request's headers.
   *
   * @param own the origins of this service
   */
  static FetchSite of(RequestHeaders headers, Set<String> own) {
    String fetchSite = headers.first("Sec-Fetch-Site");
    if (fetchSite != null) {
      return fetchSite.strip().equals("same-origin") ? SAME : OTHER;
    }
    String sent = headers.first("Origin");
    if (sent == null) {
      return UNKNOWN;
    }
    String origin = sent.strip();
    return origin.equals("null") ? UNKNOWN : own.contains(origin) ? SAME : OTHER;
  }

  /** Returns the origin of an address: scheme, host, and the port when it is not the default. */
  static String origin(URI address) {
    String scheme = address.getScheme().toLowerCase(Locale.ROOT);
    int port = address.getPort();
    boolean usual = port < 0 || port == (scheme.equals("https") ? 443 : 80);
    return scheme + "://" + address.getHost().toLowerCase(Locale.ROOT) + (usual ? "" : ":" + port);
  }
}
