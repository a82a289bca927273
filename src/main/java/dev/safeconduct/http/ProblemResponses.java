package dev.safeconduct.http;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.problem.PolicyFault;
import dev.safeconduct.problem.Problem;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Turns what went wrong into the one error shape every caller sees. */
final class ProblemResponses {
  private static final DateTimeFormatter MILLISECONDS =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

  private static final String PROBLEM = "application/problem+json";
  private static final Face INTERNAL = new Face(500, "internal_server_error");

  private final InstantSource clock;
  private final String types;

  /**
   * @param baseUrl the public address, below which each kind of problem has its page
   */
  ProblemResponses(InstantSource clock, String baseUrl) {
    this.clock = clock;
    this.types = baseUrl + "/api/documentation/errors#";
  }

  /** Whether the request names the form of RFC 9457 among those it takes. */
  static boolean isWanted(Headers headers) {
    return headers.contains(HeaderNames.ACCEPT)
        && String.join(",", headers.all(HeaderNames.ACCEPT, List::of))
            .toLowerCase(Locale.ROOT)
            .contains(PROBLEM);
  }

  /**
   * The request an error answers.
   *
   * @param verifies whether the error says {@code "allow": false}, for clients that look nowhere
   *     else
   * @param wantsProblem whether the error has the members of RFC 9457 as well
   */
  record Occasion(
      String method, String path, String requestId, boolean verifies, boolean wantsProblem) {}

  private record Face(int status, String code, String reason, JsonObject details) {
    private Face(int status, String code) {
      this(status, code, code, JsonObject.EMPTY);
    }

    private Face(int status, String code, JsonObject.Builder details) {
      this(status, code, code, details.build());
    }
  }

  Response of(Problem problem, Occasion occasion) {
    Response response = response(face(problem).status, body(problem, occasion), occasion);
    if (problem instanceof Problem.Unauthorized) {
      return response.header("WWW-Authenticate", "ApiKey realm=\"safeconduct\"");
    }
    if (problem instanceof Problem.MethodNotAllowed wrong) {
      return response.header("Allow", String.join(", ", wrong.allowed()));
    }
    int retryAfter = retryAfter(problem);
    return retryAfter > 0 ? response.header("Retry-After", Integer.toString(retryAfter)) : response;
  }

  /** What the answer to the problem says, without its status and headers. */
  JsonObject body(Problem problem, Occasion occasion) {
    Face face = face(problem);
    JsonObject.Builder body = body(face, problem.message(), occasion);
    body.putIfPresent("field", field(problem));
    int retryAfter = retryAfter(problem);
    if (retryAfter > 0) {
      body.put("retry_after", retryAfter);
      if (face.status == 429) {
        body.put("retryAfter", retryAfter);
      }
    }
    return whole(face, body, occasion);
  }

  /** A fault of ours: nothing of it is told but the request id. */
  Response internal(Occasion occasion) {
    return response(INTERNAL.status, internalBody(occasion), occasion);
  }

  /** What the answer to a fault of ours says. */
  JsonObject internalBody(Occasion occasion) {
    return whole(
        INTERNAL,
        body(
            INTERNAL,
            "Something failed on our side. Try again; if it stays, give the operator the request"
                + " id.",
            occasion),
        occasion);
  }

  /** A request refused before it could be routed, with the status the server library chose. */
  Response refused(int status, String message, Occasion occasion) {
    return switch (status) {
      case 413 -> plain(413, "payload_too_large", message, occasion);
      case 500 -> internal(occasion);
      case 503 -> plain(503, "unavailable", message, occasion).header("Retry-After", "1");
      default -> plain(status, "invalid_request", message, occasion);
    };
  }

  private Response plain(int status, String code, String message, Occasion occasion) {
    Face face = new Face(status, code);
    return response(status, whole(face, body(face, message, occasion), occasion), occasion);
  }

  private JsonObject.Builder body(Face face, String message, Occasion occasion) {
    JsonObject reason =
        JsonObject.builder()
            .put("code", "oap." + face.reason)
            .put("message", message)
            .put("severity", "error")
            .build();
    return JsonObject.builder()
        .put("ok", false)
        .put("error", face.code)
        .put("code", face.code)
        .put("message", message)
        .put("details", face.details)
        .put("reasons", JsonArray.of(reason))
        .put("status_code", face.status)
        .put("path", RequestPath.shown(occasion.path))
        .put("method", occasion.method)
        .put("request_id", occasion.requestId)
        .put("timestamp", MILLISECONDS.format(Instant.ofEpochMilli(clock.millis())));
  }

  private JsonObject whole(Face face, JsonObject.Builder body, Occasion occasion) {
    if (occasion.verifies) {
      body.put("allow", false);
    }
    JsonObject full = body.build();
    if (!occasion.wantsProblem) {
      return full;
    }
    return JsonObject.builder()
        .put("type", types + face.code)
        .put("title", title(face.code))
        .put("status", face.status)
        .put("detail", full.string("message").orElseThrow())
        .put("instance", full.string("path").orElseThrow())
        .putAll(full)
        .build();
  }

  private static Response response(int status, JsonObject body, Occasion occasion) {
    return occasion.wantsProblem
        ? Response.bytes(status, PROBLEM, Json.bytes(body))
        : Response.json(status, body);
  }

  /** The code in words: {@code not_found} is "Not found". */
  private static String title(String code) {
    return Character.toUpperCase(code.charAt(0)) + code.substring(1).replace('_', ' ');
  }

  /** The one input at fault. */
  private static Optional<String> field(Problem problem) {
    return problem instanceof Problem.InvalidRequest invalid
        ? invalid.field()
        : problem instanceof Problem.InvalidScope scope
            ? Optional.of(scope.field())
            : Optional.empty();
  }

  private static int retryAfter(Problem problem) {
    return problem instanceof Problem.RateLimited limited
        ? Math.max(1, limited.retryAfterSeconds())
        : problem instanceof Problem.Unavailable gone ? Math.max(1, gone.retryAfterSeconds()) : 0;
  }

  private static Face face(Problem problem) {
    JsonObject.Builder details = JsonObject.builder();
    return switch (problem) {
      case Problem.InvalidRequest _ -> new Face(400, "invalid_request");
      case Problem.InvalidScope p ->
          new Face(400, "invalid_scope", details.put("scope", p.scope()));
      case Problem.Unauthorized _ -> new Face(401, "unauthorized");
      case Problem.Forbidden _ -> new Face(403, "forbidden");
      case Problem.NotFound p -> {
        details.put("reason", p.reason());
        p.details().forEach(details::put);
        yield new Face(404, "not_found", p.reason(), details.build());
      }
      case Problem.MethodNotAllowed p ->
          new Face(
              405, "method_not_allowed", details.put("allowed", JsonArray.ofStrings(p.allowed())));
      case Problem.Conflict p -> new Face(409, "conflict", details.put("reason", p.reason()));
      case Problem.Gone _ -> new Face(410, "gone");
      case Problem.PayloadTooLarge p ->
          new Face(413, "payload_too_large", details.put("limit_bytes", (double) p.limitBytes()));
      case Problem.UnsupportedMediaType _ -> new Face(415, "unsupported_media_type");
      case Problem.InvalidPolicy p ->
          new Face(422, "invalid_policy", details.put("faults", faults(p.faults())));
      case Problem.RateLimited _ -> new Face(429, "rate_limited");
      case Problem.Unavailable _ -> new Face(503, "unavailable");
    };
  }

  private static JsonArray faults(List<PolicyFault> faults) {
    var shown = new ArrayList<JsonValue>();
    for (PolicyFault fault : faults) {
      JsonObject.Builder one = JsonObject.builder();
      if (!fault.field().isEmpty()) {
        one.put("field", fault.field());
      }
      one.putIfPresent("rule", fault.rule());
      fault.column().ifPresent(column -> one.put("column", column));
      shown.add(
          one.put("message", fault.message())
              .putIfPresent("suggestion", fault.suggestion())
              .build());
    }
    return new JsonArray(shown);
  }
}
