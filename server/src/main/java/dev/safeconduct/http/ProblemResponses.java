package dev.safeconduct.http;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.error.Problem;
import dev.safeconduct.http.server.RequestHeaders;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Converts errors into the common error format. */
final class ProblemResponses {
  private static final DateTimeFormatter MILLISECONDS =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

  private static final String PROBLEM = "application/problem+json";
  private static final Face INTERNAL = new Face(500, "internal_server_error");

  private final InstantSource clock;
  private final String types;

  /**
   * Creates the converter.
   *
   * @param baseUrl the public address, below which each kind of problem has its page
   */
  ProblemResponses(InstantSource clock, String baseUrl) {
    this.clock = clock;
    this.types = baseUrl + "/api/documentation/errors#";
  }

  /** Returns whether the request accepts the format of RFC 9457. */
  static boolean isWanted(RequestHeaders headers) {
    return headers.contains("Accept")
        && String.join(",", headers.all("Accept")).toLowerCase(Locale.ROOT).contains(PROBLEM);
  }

  /**
   * The request that has failed.
   *
   * @param verifies whether the error contains {@code "allow": false}, for clients that read only
   *     this member
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
      return response.header(
          "WWW-Authenticate", "ApiKey realm=\"safeconduct\", Bearer realm=\"safeconduct\"");
    }
    if (problem instanceof Problem.MethodNotAllowed wrong) {
      return response.header("Allow", String.join(", ", wrong.allowed()));
    }
    int retryAfter = retryAfter(problem);
    return retryAfter > 0 ? response.header("Retry-After", Integer.toString(retryAfter)) : response;
  }

  /** Returns the response body for the problem, without status and headers. */
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

  /** Returns the response to an internal error; it reveals only the request id. */
  Response internal(Occasion occasion) {
    return response(INTERNAL.status, internalBody(occasion), occasion);
  }

  /** Returns the response body for an internal error. */
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

  /** Returns the response to a request refused before routing, with the server library's status. */
  Response refused(int status, Occasion occasion) {
    return response(status, refusedBody(status, occasion), occasion);
  }

  /** Returns the response body for a request refused before routing. */
  JsonObject refusedBody(int status, Occasion occasion) {
    if (status == 500) {
      return internalBody(occasion);
    }
    Face face = new Face(status, "invalid_request");
    return whole(face, body(face, refusal(status), occasion), occasion);
  }

  private static String refusal(int status) {
    return switch (status) {
      case 414 -> "The path and query are longer than the 8 KiB this server takes.";
      case 417 -> "The only expectation this server meets is 100-continue.";
      case 431 -> "The headers are longer than the 32 KiB this server takes.";
      case 501 -> "The only Transfer-Encoding this server takes is chunked.";
      case 505 -> "This server speaks HTTP/1.1 and, over TLS, HTTP/2.";
      default ->
          "This is not an HTTP/1.1 request this server can read; check the request line, the Host"
              + " header and the other headers.";
    };
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

  /** Returns the code in words: {@code not_found} is "Not found". */
  private static String title(String code) {
    return Character.toUpperCase(code.charAt(0)) + code.substring(1).replace('_', ' ');
  }

  /** Returns the invalid input. */
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
      case Problem.Misdirected p ->
          new Face(421, "misdirected_request", details.put("cell", p.cell()));
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
