package dev.safeconduct.console.view;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.error.Problem;
import java.util.stream.Collectors;

/** The wording of errors on pages. */
public final class ErrorText {
  private ErrorText() {}

  public static String text(Problem problem) {
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

  /** Returns the HTTP status of the error page. */
  public static int status(Problem problem) {
    return switch (problem) {
      case Problem.Unauthorized _ -> 401;
      case Problem.Forbidden _ -> 403;
      case Problem.NotFound _ -> 404;
      case Problem.Conflict _ -> 409;
      case Problem.Gone _ -> 410;
      case Problem.Misdirected _ -> 421;
      case Problem.RateLimited _ -> 429;
      case Problem.Unavailable _ -> 503;
      default -> 400;
    };
  }
}
