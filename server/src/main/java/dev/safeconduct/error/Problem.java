package dev.safeconduct.error;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An error of a request, reported to the caller; each kind has its own HTTP status. A policy deny
 * is not a problem: it is a decision with status 200.
 */
public sealed interface Problem {
  /** The cause and the next step, shown to the caller. */
  String message();

  /** 400: malformed body, bad parameter, missing field. {@code field} names the invalid input. */
  record InvalidRequest(String message, Optional<String> field) implements Problem {}

  /**
   * 400 {@code invalid_scope}: an unknown scope name. {@code field} is its location in the request.
   */
  record InvalidScope(String message, String scope, String field) implements Problem {}

  /** 401: no credential, or one that is wrong, expired, revoked or of an unsupported kind. */
  record Unauthorized(String message) implements Problem {}

  /** 403: a valid credential without the needed scope or without access to the resource. */
  record Forbidden(String message) implements Problem {}

  /**
   * 404: no such endpoint or resource; also the response for another organization's resources.
   *
   * @param reason the specific cause, for example {@code passport_not_found}
   * @param details further machine-readable facts, for example the requested id
   */
  record NotFound(String message, String reason, Map<String, String> details) implements Problem {}

  /** 405, with the methods that the path supports. */
  record MethodNotAllowed(String message, List<String> allowed) implements Problem {}

  /** 409: slug or idempotency conflict, impossible status transition, stale {@code If-Match}. */
  record Conflict(String message, String reason) implements Problem {}

  /** 410: a used or expired link. */
  record Gone(String message) implements Problem {}

  /** 413: body over its limit. {@code limitBytes} is that limit. */
  record PayloadTooLarge(String message, long limitBytes) implements Problem {}

  /** 415: a body that is not {@code application/json}. */
  record UnsupportedMediaType(String message) implements Problem {}

  /** 421: a credential or an agent of another cell, which alone can answer. */
  record Misdirected(String message, String cell) implements Problem {}

  /** 422: a policy pack that does not compile; every fault is listed. */
  record InvalidPolicy(String message, List<PolicyFault> faults) implements Problem {
    public InvalidPolicy {
      faults = List.copyOf(faults);
    }
  }

  /** 429: over a rate limit; retry after this many seconds. {@code limit} is the exceeded limit. */
  record RateLimited(String message, int retryAfterSeconds, Optional<Limit> limit)
      implements Problem {
    /** A limit and its name, as shown in the {@code RateLimit} headers. */
    public record Limit(String name, int times, long windowSeconds) {}
  }

  /**
   * 503: the store is unreachable, the server is stopping, or memory for large bodies is used up.
   */
  record Unavailable(String message, int retryAfterSeconds) implements Problem {}

  static InvalidRequest invalid(String field, String message) {
    return new InvalidRequest(message, Optional.of(field));
  }

  static InvalidRequest invalid(String message) {
    return new InvalidRequest(message, Optional.empty());
  }

  default ProblemException toException() {
    return new ProblemException(this);
  }
}
