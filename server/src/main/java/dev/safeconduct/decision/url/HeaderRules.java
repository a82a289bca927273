package dev.safeconduct.decision.url;

import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.text.Folding;
import dev.safeconduct.text.Words;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rules for request headers (validator catalogue 3.4). Messages never contain header values. */
final class HeaderRules {
  /** Headers that frame the message, which is the executor's business. */
  private static final Set<String> FRAMING =
      Set.of("transfer-encoding", "content-length", "http2-settings");

  private static final Set<String> METHOD_OVERRIDES =
      Set.of("x-http-method-override", "x-http-method", "x-method-override");

  private static final Set<String> CREDENTIALS =
      Words.set(
          """
          authorization proxy-authorization cookie cookie2 set-cookie x-api-key api-key apikey
          x-auth-token x-access-token x-amz-security-token x-vault-token private-token
          x-csrf-token
          """);

  /** Headers about the connection, or by which proxies and servers decide where a request goes. */
  private static final NamePatterns ROUTING =
      new NamePatterns(
          Stream.of(
                  "connection keep-alive proxy-connection te trailer upgrade expect via forwarded",
                  "x-real-ip x-client-ip true-client-ip cf-connecting-ip x-host x-original-host",
                  "x-original-url x-rewrite-url x-http-method-override x-http-method",
                  "x-method-override metadata metadata-flavor x-google-metadata-request",
                  "x-forwarded-* x-original-forwarded-* x-envoy-* x-aws-ec2-metadata-*")
              .flatMap(line -> Stream.of(line.split(" "))));

  private final NamePatterns blocked;
  private final Set<String> allowed;
  private final Limits limits;
  private final boolean lifted;

  private HeaderRules(List<String> blocked, List<String> allowed, Limits limits) {
    this.blocked =
        new NamePatterns(blocked.stream().map(Folding::blockKey).map(HeaderRules::plain));
    this.allowed = allowed.stream().map(HeaderRules::plain).collect(Collectors.toSet());
    this.limits = limits;
    this.lifted = limits.grants("disable_default_blocks") || this.allowed.contains("*");
  }

  /** Returns the rules of these limits, or empty if one of the two lists is not a list. */
  static Optional<HeaderRules> of(Limits limits) {
    Reading<List<String>> blocked = limits.list("blocked_headers");
    Reading<List<String>> allowed = limits.list("allowed_headers");
    if (blocked instanceof Reading.Malformed || allowed instanceof Reading.Malformed) {
      return Optional.empty();
    }
    return Optional.of(new HeaderRules(entries(blocked), entries(allowed), limits));
  }

  private static List<String> entries(Reading<List<String>> reading) {
    return reading instanceof Reading.Present<List<String>>(List<String> entries)
        ? entries
        : List.of();
  }

  /** Returns the reason why the header may not be sent to the URL, or empty if it is allowed. */
  Optional<String> objection(String header, String value, Url url) {
    if (!isToken(header) || Ascii.indexOfAny(value, "\r\n\0", 0) < value.length()) {
      return Optional.of("has a malformed name or a line break in its value");
    }
    String name = plain(header);
    if (FRAMING.contains(name)) {
      return Optional.of("frames the message; whoever sends the request sets it");
    }
    if (name.equals("host") && !namesHost(value, url)) {
      return Optional.of("names another host or port than the URL");
    }
    if (METHOD_OVERRIDES.contains(name)
        && !UrlValidators.admitsMethod(limits, Folding.trim(value).toUpperCase(Locale.ROOT))) {
      return Optional.of("names a method that is not in the passport's allowed_methods");
    }
    if (blocked.match(name)) {
      return Optional.of("is blocked by the passport");
    }
    if (lifted || allowed.contains(name)) {
      return Optional.empty();
    }
    if (CREDENTIALS.contains(name)) {
      return Optional.of("carries credentials and is not in the passport's allowed_headers");
    }
    if (ROUTING.match(name)) {
      return Optional.of("is for the connection and not in the passport's allowed_headers");
    }
    return SecretShapes.appearIn(value)
        ? Optional.of("holds what looks like a secret and is not in the passport's allowed_headers")
        : Optional.empty();
  }

  private static boolean namesHost(String value, Url url) {
    return Url.parse(url.scheme() + "://" + Folding.trim(value) + "/", Url.WEB)
        .filter(parsed ->
            parsed.host().equals(url.host())
                && parsed.port() == url.port()
                && parsed.path().equals("/")
                && parsed.userInfo().isEmpty()
                && parsed.query().isEmpty()
                && parsed.fragment().isEmpty())
        .isPresent();
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** RFC 7230 section 3.2.6. */
  private static boolean isToken(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!Ascii.isLetterOrDigit(c) && "!#$%&'*+-.^_`|~".indexOf(c) < 0) {
        return false;
      }
    }
    return !name.isEmpty();
  }
}
