package dev.safeconduct.http;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Headers;
import io.helidon.http.ServerResponseHeaders;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Cross-origin rules (WHATWG Fetch): a public read answers pages of any origin, all else only those
 * of the listed origins, and never with credentials such as cookies.
 */
final class Cors {
  private static final Header ANY_ORIGIN =
      HeaderValues.createCached(HeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, "*");
  private static final Header VARY = HeaderValues.createCached(HeaderNames.VARY, "Origin");
  private static final Header EXPOSED =
      HeaderValues.createCached(
          HeaderNames.ACCESS_CONTROL_EXPOSE_HEADERS,
          "ETag, Location, Retry-After, X-Request-Id, Server-Timing, Idempotent-Replayed,"
              + " Reservation-Id, RateLimit, RateLimit-Policy");
  private static final String ACCEPTED_HEADERS =
      "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-API-Key,"
          + " X-Request-Id, traceparent, tracestate";
  private static final String PREFLIGHT_SECONDS = "600";

  private final Set<String> allowed;

  Cors(Set<String> allowed) {
    this.allowed = allowed;
  }

  /** Adds what the answer of a route, or of no route at all, needs. */
  void apply(@Nullable Route route, Headers request, ServerResponseHeaders answer) {
    if (route != null && route.isPublicRead()) {
      answer.set(ANY_ORIGIN);
      if (request.contains(HeaderNames.ORIGIN)) {
        answer.set(EXPOSED);
      }
      return;
    }
    if (allowed.isEmpty()) {
      return;
    }
    answer.add(VARY);
    if (request.contains(HeaderNames.ORIGIN)) {
      String origin = request.get(HeaderNames.ORIGIN).get();
      if (allowed.contains(origin)) {
        answer.set(HeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        answer.set(EXPOSED);
      }
    }
  }

  /** The answer to {@code OPTIONS}: the path's methods, and leave to use them where it is given. */
  Response options(RouteTable.Match match, Headers request) {
    List<String> methods = match.methods();
    Response response = Response.empty(204).header("Allow", String.join(", ", methods));
    if (!request.contains(HeaderNames.ORIGIN)
        || !request.contains(HeaderNames.ACCESS_CONTROL_REQUEST_METHOD)) {
      return response;
    }
    if (allowed.contains(request.get(HeaderNames.ORIGIN).get())) {
      return response
          .header("Access-Control-Allow-Methods", String.join(", ", methods))
          .header("Access-Control-Allow-Headers", ACCEPTED_HEADERS)
          .header("Access-Control-Max-Age", PREFLIGHT_SECONDS);
    }
    return match.route("GET").filter(Route::isPublicRead).isPresent()
        ? response
            .header("Access-Control-Allow-Origin", "*")
            .header("Access-Control-Allow-Methods", "GET, HEAD")
            .header("Access-Control-Max-Age", PREFLIGHT_SECONDS)
        : response;
  }
}
