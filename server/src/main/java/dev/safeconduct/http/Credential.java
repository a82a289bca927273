package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import java.util.List;
import java.util.Optional;

/** The credential that a request contains; never printed. */
record Credential(String text, Kind kind) {

  /** The way it was sent. */
  enum Kind {
    API_KEY_HEADER,
    BEARER,
    SESSION_COOKIE
  }

  /**
   * Returns the key of {@code X-API-Key} or {@code Authorization: Bearer}; empty when both are
   * absent.
   *
   * @throws dev.safeconduct.error.ProblemException 401 when they differ, are empty, or the scheme
   *     is not Bearer
   */
  static Optional<Credential> from(List<String> apiKeys, List<String> authorizations) {
    if (apiKeys.isEmpty() && authorizations.isEmpty()) {
      return Optional.empty();
    }
    String found = null;
    for (String apiKey : apiKeys) {
      found = same(found, apiKey.strip());
    }
    for (String authorization : authorizations) {
      found = same(found, bearer(authorization));
    }
    return Optional.of(
        new Credential(
            found == null ? "" : found,
            authorizations.isEmpty() ? Kind.API_KEY_HEADER : Kind.BEARER));
  }

  private static String bearer(String authorization) {
    String scheme = "Bearer ";
    if (!authorization.regionMatches(true, 0, scheme, 0, scheme.length())) {
      throw unauthorized(
          "This Authorization scheme is not supported; send X-API-Key: <key> or Authorization:"
              + " Bearer <key>.");
    }
    return authorization.substring(scheme.length()).strip();
  }

  private static String same(@org.jspecify.annotations.Nullable String found, String next) {
    if (next.isEmpty()) {
      throw unauthorized("The credential is empty; send an API key in X-API-Key.");
    }
    if (found != null && !found.equals(next)) {
      throw unauthorized("Two different credentials were sent; send one.");
    }
    return next;
  }

  private static RuntimeException unauthorized(String message) {
    return new Problem.Unauthorized(message).toException();
  }

  @Override
  public String toString() {
    return "Credential[hidden]";
  }
}
