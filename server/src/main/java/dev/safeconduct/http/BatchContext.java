package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.json.JsonObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Support for a request that asks for several decisions at once. */
public final class BatchContext {
  private static final Logger LOG = LoggerFactory.getLogger(BatchContext.class);

  private final RequestState exchange;
  private final RateLimitCheck toll;
  private final ProblemResponses problems;

  BatchContext(RequestState exchange, RateLimitCheck toll, ProblemResponses problems) {
    this.exchange = exchange;
    this.toll = toll;
    this.problems = problems;
  }

  /**
   * Counts the decisions against the caller's limits, all or none; the request itself counts as
   * one.
   *
   * @throws dev.safeconduct.error.ProblemException 429 when fewer are left, 400 when the number
   *     exceeds the limit itself
   */
  public void count(int decisions) {
    toll.takeFurther(decisions - 1);
  }

  /** Returns the error body for one decision, the same as for a single request. */
  public JsonObject error(Problem problem) {
    return problems.body(problem, exchange.occasion());
  }

  /** Returns the error body for an internal error, which is logged and reveals no details. */
  public JsonObject error(Throwable fault) {
    LOG.error(
        "A decision of {} {} failed, request {}",
        exchange.method,
        RequestPath.shown(exchange.path),
        exchange.requestId,
        fault);
    return problems.internalBody(exchange.occasion());
  }
}
