package dev.safeconduct.error;

/** Carries a {@link Problem} to the one place that writes its response; has no stack trace. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;

  public ProblemException(Problem problem) {
    super(problem.message(), null, false, false);
    this.problem = problem;
  }

  public Problem problem() {
    return problem;
  }
}
