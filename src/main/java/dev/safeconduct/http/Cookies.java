package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.problem.Problem;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Cookies, and when the session in one is honoured: on an unsafe method only for a page of our own
 * that knows the session's CSRF token.
 */
public final class Cookies {
  public static final String SESSION = "safeconduct_session";
  public static final String REFRESH = "safeconduct_refresh";
  public static final String CSRF_FIELD = "csrf_token";

  private static final HeaderName CSRF_HEADER = HeaderNames.create("X-CSRF-Token");
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

  private final Authenticator authenticator;
  private final Set<String> ownOrigins;

  Cookies(Authenticator authenticator, Set<String> ownOrigins) {
    this.authenticator = authenticator;
    this.ownOrigins = Set.copyOf(ownOrigins);
  }

  Set<String> ownOrigins() {
    return ownOrigins;
  }

  /** The session's token, where the route takes one. */
  Optional<Credential> credential(Route route, String method, Headers headers) {
    if (route.verifies()) {
      return Optional.empty();
    }
    Optional<String> token = value(headers, SESSION).filter(text -> !text.isEmpty());
    if (token.isPresent() && !SAFE.contains(method) && Site.of(headers, ownOrigins) != Site.SAME) {
      throw new Problem.Unauthorized(
              "A session is honoured here only for requests of our own pages (Sec-Fetch-Site or"
                  + " Origin). Programs use an API key.")
          .toException();
    }
    return token.map(text -> new Credential(text, Credential.Kind.SESSION_COOKIE));
  }

  /** Refuses an unsafe request by cookie that does not bring the session's CSRF token. */
  void demandCsrfToken(Caller caller, String method, Headers headers, Optional<String> formField) {
    if (!hasCsrfToken(caller, method, headers, formField)) {
      throw new Problem.Unauthorized(
              "The session's CSRF token is missing or wrong; send it in X-CSRF-Token, or in the form"
                  + " field csrf_token.")
          .toException();
    }
  }

  /** Whether a request by cookie is safe, or brings the session's CSRF token. */
  boolean hasCsrfToken(Caller caller, String method, Headers headers, Optional<String> formField) {
    if (SAFE.contains(method)) {
      return true;
    }
    Optional<String> sent =
        headers.contains(CSRF_HEADER) ? Optional.of(headers.get(CSRF_HEADER).get()) : formField;
    return sent.filter(text -> authenticator.isCsrfToken(caller, text)).isPresent();
  }

  /** The value of the first cookie of that name (RFC 6265 section 5.4). */
  static Optional<String> value(Headers headers, String name) {
    String start = name + "=";
    for (String header : headers.all(HeaderNames.COOKIE, List::of)) {
      for (String pair : header.split(";", -1)) {
        String stripped = pair.strip();
        if (stripped.startsWith(start)) {
          return Optional.of(stripped.substring(start.length()));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * The answer with a session's cookies.
   *
   * @param refresh left as the browser has it when empty
   */
  public static Response signedIn(
      Response response,
      String token,
      Duration tokenLives,
      Optional<String> refresh,
      Duration refreshLives,
      boolean secure) {
    Response with = response.header("Set-Cookie", set(SESSION, token, tokenLives, secure, "Lax"));
    return refresh.isEmpty()
        ? with
        : with.header("Set-Cookie", set(REFRESH, refresh.get(), refreshLives, secure, "Lax"));
  }

  /** The answer that takes a session's cookies away. */
  public static Response signedOut(Response response, boolean secure) {
    return response
        .header("Set-Cookie", set(SESSION, "", Duration.ZERO, secure, "Lax"))
        .header("Set-Cookie", set(REFRESH, "", Duration.ZERO, secure, "Lax"));
  }

  /**
   * A {@code Set-Cookie} value that scripts cannot read and other sites do not send along.
   *
   * @param lives how long; nothing deletes the cookie
   * @param secure whether it travels over TLS only
   * @param sameSite {@code Lax} or {@code Strict}
   */
  public static String set(
      String name, String value, Duration lives, boolean secure, String sameSite) {
    return name
        + "="
        + value
        + "; Path=/; Max-Age="
        + lives.toSeconds()
        + "; HttpOnly; SameSite="
        + sameSite
        + (secure ? "; Secure" : "");
  }
}
