package dev.safeconduct.webhook.delivery;

import dev.safeconduct.decision.url.Url;
import java.net.InetAddress;
import java.util.Optional;

/**
 * Where a receiver listens: an absolute http or https URL in ASCII without user info.
 *
 * @param text as it was given
 */
public record ReceiverUrl(String text, Url url) {
  /** The most characters a receiver's URL may have. */
  public static final int MAX_LENGTH = 2048;

  /** What a text must be to be one; follows the name of the member or variable. */
  public static final String RULE =
      "must be an absolute http or https URL in ASCII, without user info, of at most "
          + MAX_LENGTH
          + " characters";

  /** Reads the text; empty when it breaks {@link #RULE}. */
  public static Optional<ReceiverUrl> parse(String text) {
    if (text.length() > MAX_LENGTH || !text.chars().allMatch(c -> c < 0x80)) {
      return Optional.empty();
    }
    return Url.parse(text, Url.WEB)
        .filter(url -> url.userInfo().isEmpty() && url.port() > 0)
        .map(url -> new ReceiverUrl(text, url));
  }

  boolean isTls() {
    return url.scheme().equals("https");
  }

  public int port() {
    return url.port();
  }

  /** The host as certificates and resolvers know it: an IPv6 address without its brackets. */
  String host() {
    String host = url.host().text();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** The {@code Host} header (RFC 9110 section 7.2). */
  public String authority() {
    boolean usual = port() == (isTls() ? 443 : 80);
    return usual ? url.host().text() : url.host().text() + ":" + port();
  }

  /** What follows {@code POST} on the request line (RFC 9112 section 3.2.1). */
  String requestTarget() {
    String path = url.path().isEmpty() ? "/" : url.path();
    return url.query().map(query -> path + "?" + query).orElse(path);
  }

  /** The address, when the host is one and not a name. */
  public Optional<InetAddress> literal() {
    try {
      return Optional.of(InetAddress.ofLiteral(host()));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
