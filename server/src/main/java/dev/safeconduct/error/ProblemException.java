package dev.safeconduct.error;

import java.util.Map;

/** Carries a {@link Problem} to the one place that writes its response; has no stack trace. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;

  public ProblemException(Problem problem) {
    super(problem.message(), null, false, false);
    this.problem = problem;
  }

  public static ProblemException invalid(String field, String message) {
    return Problem.invalid(field, message).toException();
  }

  public static ProblemException invalid(String message) {
    return Problem.invalid(message).toException();
  }

  public static ProblemException unauthorized(String message) {
    return new Problem.Unauthorized(message).toException();
  }

  public static ProblemException forbidden(String message) {
    return new Problem.Forbidden(message).toException();
  }

  public static ProblemException notFound(
      String message, String reason, Map<String, String> details) {
    return new Problem.NotFound(message, reason, details).toException();
  }

  public static ProblemException conflict(String message, String reason) {
    return new Problem.Conflict(message, reason).toException();
  }

  public static ProblemException unavailable(String message, int retryAfterSeconds) {
    return new Problem.Unavailable(message, retryAfterSeconds).toException();
  }

  public Problem problem() {
    return problem;
  }
}
