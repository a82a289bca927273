package dev.safeconduct.http;

import dev.safeconduct.http.server.RequestHeaders;
import dev.safeconduct.http.server.ResponseHeaders;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Cross-origin rules (WHATWG Fetch). A public read is allowed for any origin, all other routes only
 * for the configured origins. Credentials such as cookies are never allowed.
 */
final class Cors {
  private static final String ORIGIN = "Origin";
  private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
  private static final String EXPOSE_HEADERS = "Access-Control-Expose-Headers";
  private static final String EXPOSED =
      "ETag, Location, Retry-After, X-Request-Id, Server-Timing, Idempotent-Replayed,"
          + " Reservation-Id, RateLimit, RateLimit-Policy";
  private static final String ACCEPTED_HEADERS =
      "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-API-Key,"
          + " X-Request-Id, traceparent, tracestate";
  private static final String PREFLIGHT_SECONDS = "600";

  private final Set<String> allowed;

  Cors(Set<String> allowed) {
    this.allowed = allowed;
  }

  /** Adds the CORS headers for the response of a route, or of no route. */
  void apply(@Nullable Route route, RequestHeaders request, ResponseHeaders answer) {
    if (route != null && route.isPublicRead()) {
      answer.set(ALLOW_ORIGIN, "*");
      if (request.contains(ORIGIN)) {
        answer.set(EXPOSE_HEADERS, EXPOSED);
      }
      return;
    }
    if (allowed.isEmpty()) {
      return;
    }
    answer.add("Vary", ORIGIN);
    String origin = request.first(ORIGIN);
    if (origin != null && allowed.contains(origin)) {
      answer.set(ALLOW_ORIGIN, origin);
      answer.set(EXPOSE_HEADERS, EXPOSED);
    }
  }

  /**
   * Returns the response to {@code OPTIONS}: the path's methods and, for an allowed origin, the
   * permission to use them.
   */
  Response options(RouteTable.Match match, RequestHeaders request) {
    List<String> methods = match.methods();
    Response response = Response.empty(204).header("Allow", String.join(", ", methods));
    String origin = request.first(ORIGIN);
    if (origin == null || !request.contains("Access-Control-Request-Method")) {
      return response;
    }
    if (allowed.contains(origin)) {
      return response
          .header("Access-Control-Allow-Methods", String.join(", ", methods))
          .header("Access-Control-Allow-Headers", ACCEPTED_HEADERS)
          .header("Access-Control-Max-Age", PREFLIGHT_SECONDS);
    }
    return match.route("GET").filter(Route::isPublicRead).isPresent()
        ? response
            .header(ALLOW_ORIGIN, "*")
            .header("Access-Control-Allow-Methods", "GET, HEAD")
            .header("Access-Control-Max-Age", PREFLIGHT_SECONDS)
        : response;
  }
}
