package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.json.JsonObject;

/** Support for a request that asks for several decisions at once. */
public interface BatchContext {
  /**
   * Counts the decisions against the caller's limits, all or none; the request itself counts as
   * one.
   *
   * @throws dev.safeconduct.error.ProblemException 429 when fewer are left, 400 when the number
   *     exceeds the limit itself
   */
  void count(int decisions);

  /** Returns the error body for one decision, the same as for a single request. */
  JsonObject error(Problem problem);

  /** Returns the error body for an internal error, which is logged and reveals no details. */
  JsonObject error(Throwable fault);
}
