package dev.safeconduct.problem;

/** Carries a {@link Problem} up to the one place that answers it; has no stack trace. */
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
