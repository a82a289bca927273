package dev.safeconduct.console;

import dev.safeconduct.problem.PolicyFault;
import dev.safeconduct.problem.Problem;
import java.util.stream.Collectors;

/** What is wrong, as a page says it. */
final class Wrong {
  private Wrong() {}

  static String text(Problem problem) {
    return switch (problem) {
      case Problem.InvalidPolicy p ->
          p.message()
              + " "
              + p.faults().stream().map(PolicyFault::text).collect(Collectors.joining("; "));
      case Problem.RateLimited p ->
          p.message().contains(" s.")
              ? p.message()
              : p.message() + " Try again in " + p.retryAfterSeconds() + " s.";
      default -> problem.message();
    };
  }

  /** The status of a page that says so. */
  static int status(Problem problem) {
    return switch (problem) {
      case Problem.Unauthorized _ -> 401;
      case Problem.Forbidden _ -> 403;
      case Problem.NotFound _ -> 404;
      case Problem.Conflict _ -> 409;
      case Problem.Gone _ -> 410;
      case Problem.RateLimited _ -> 429;
      case Problem.Unavailable _ -> 503;
      default -> 400;
    };
  }
}
