package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.http.server.RequestHeaders;
import dev.safeconduct.identity.Caller;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Cookies and the rule for session cookies. On an unsafe method, a session is accepted only from a
 * page of this service that has the session's CSRF token.
 */
public final class Cookies {
  public static final String SESSION = "safeconduct_session";
  public static final String REFRESH = "safeconduct_refresh";
  public static final String CSRF_FIELD = "csrf_token";

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

  /** Returns the session's token, when the route accepts sessions. */
  Optional<Credential> credential(Route route, String method, RequestHeaders headers) {
    if (route.verifies()) {
      return Optional.empty();
    }
    Optional<String> token = value(headers, SESSION).filter(text -> !text.isEmpty());
    if (token.isPresent()
        && !SAFE.contains(method)
        && FetchSite.of(headers, ownOrigins) != FetchSite.SAME) {
      throw new Problem.Unauthorized(
              "A session is honoured here only for requests of our own pages (Sec-Fetch-Site or"
                  + " Origin). Programs use an API key.")
          .toException();
    }
    return token.map(text -> new Credential(text, Credential.Kind.SESSION_COOKIE));
  }

  /** Refuses an unsafe request by cookie without the session's CSRF token. */
  void demandCsrfToken(
      Caller caller, String method, RequestHeaders headers, Optional<String> formField) {
    if (!hasCsrfToken(caller, method, headers, formField)) {
      throw new Problem.Unauthorized(
              "The session's CSRF token is missing or wrong; send it in X-CSRF-Token, or in the form"
                  + " field csrf_token.")
          .toException();
    }
  }

  /** Returns whether a request by cookie is safe, or has the session's CSRF token. */
  boolean hasCsrfToken(
      Caller caller, String method, RequestHeaders headers, Optional<String> formField) {
    if (SAFE.contains(method)) {
      return true;
    }
    String header = headers.first("X-CSRF-Token");
    Optional<String> sent = header == null ? formField : Optional.of(header);
    return sent.filter(text -> authenticator.isCsrfToken(caller, text)).isPresent();
  }

  /** Returns the value of the first cookie of that name (RFC 6265 section 5.4). */
  static Optional<String> value(RequestHeaders headers, String name) {
    String start = name + "=";
    for (String header : headers.all("Cookie")) {
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
   * Returns the response with a session's cookies.
   *
   * @param refresh the refresh token; when empty, the browser's cookie is unchanged
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

  /** Returns the response that deletes a session's cookies. */
  public static Response signedOut(Response response, boolean secure) {
    return response
        .header("Set-Cookie", set(SESSION, "", Duration.ZERO, secure, "Lax"))
        .header("Set-Cookie", set(REFRESH, "", Duration.ZERO, secure, "Lax"));
  }

  /**
   * Returns a {@code Set-Cookie} value that scripts cannot read and other sites do not send.
   *
   * @param lives the cookie's lifetime; zero deletes the cookie
   * @param secure whether it is sent over TLS only
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
