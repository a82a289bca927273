package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.json.JsonObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers several decisions of one batch request. */
record BatchAnswers(RequestState exchange, RateLimitCheck toll, ProblemResponses problems)
    implements BatchContext {
  private static final Logger LOG = LoggerFactory.getLogger(BatchAnswers.class);

  @Override
  public void count(int decisions) {
    toll.takeFurther(decisions - 1);
  }

  @Override
  public JsonObject error(Problem problem) {
    return problems.body(problem, exchange.occasion());
  }

  @Override
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
