package dev.safeconduct.http;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.Problem;

/** What is there for a request that asks for several decisions at once. */
public interface Several {
  /**
   * Counts them against the caller's limits, all or none; one is counted with the request.
   *
   * @throws dev.safeconduct.problem.ProblemException 429 when there are not so many left, 400 when
   *     there never could be
   */
  void count(int decisions);

  /** The error that one of them is answered with, as it would be if it had been asked alone. */
  JsonObject error(Problem problem);

  /** The same for a fault of ours: it is logged, and nothing of it is told. */
  JsonObject error(Throwable fault);
}
