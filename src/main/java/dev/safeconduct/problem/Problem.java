package dev.safeconduct.problem;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything a caller can be told is wrong, each with its own HTTP status. A policy deny is not a
 * problem: it is a decision and answered with 200.
 */
public sealed interface Problem {
  /** What happened and what to do next; shown to the caller. */
  String message();

  /** 400: malformed body, bad parameter, missing field. {@code field} names the input at fault. */
  record InvalidRequest(String message, Optional<String> field) implements Problem {}

  /**
   * 400 {@code invalid_scope}: a scope name outside the eight. {@code field} is where it stands.
   */
  record InvalidScope(String message, String scope, String field) implements Problem {}

  /** 401: no credential, or one that is wrong, expired, revoked or of an unsupported kind. */
  record Unauthorized(String message) implements Problem {}

  /** 403: a valid credential without the needed scope or without access to the resource. */
  record Forbidden(String message) implements Problem {}

  /**
   * 404: no such endpoint or resource; also what a caller sees of another organization's things.
   *
   * @param reason the finer cause, for example {@code passport_not_found}
   * @param details further machine-readable facts, for example the id asked for
   */
  record NotFound(String message, String reason, Map<String, String> details) implements Problem {}

  /** 405, with the methods the path does have. */
  record MethodNotAllowed(String message, List<String> allowed) implements Problem {}

  /** 409: slug or idempotency conflict, impossible status transition, stale {@code If-Match}. */
  record Conflict(String message, String reason) implements Problem {}

  /** 410: a used or expired link. */
  record Gone(String message) implements Problem {}

  /** 413: body over its limit. {@code limitBytes} is that limit. */
  record PayloadTooLarge(String message, long limitBytes) implements Problem {}

  /** 415: a body that is not {@code application/json}. */
  record UnsupportedMediaType(String message) implements Problem {}

  /** 422: a policy pack that does not compile; every fault is listed. */
  record InvalidPolicy(String message, List<PolicyFault> faults) implements Problem {
    public InvalidPolicy {
      faults = List.copyOf(faults);
    }
  }

  /** 429: over a rate limit; try again after this many seconds. {@code limit} is which one. */
  record RateLimited(String message, int retryAfterSeconds, Optional<Limit> limit)
      implements Problem {
    /** A limit and its name, as the {@code RateLimit} headers tell of it. */
    public record Limit(String name, int times, long windowSeconds) {}
  }

  /** 503: the store cannot be reached, the server is stopping or out of room for large bodies. */
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
