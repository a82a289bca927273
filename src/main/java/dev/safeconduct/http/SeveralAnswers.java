package dev.safeconduct.http;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.Problem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers several decisions that one exchange asks for. */
final class SeveralAnswers implements Several {
  private static final Logger LOG = LoggerFactory.getLogger(SeveralAnswers.class);

  private final Exchange exchange;
  private final Toll toll;
  private final ProblemResponses problems;

  SeveralAnswers(Exchange exchange, Toll toll, ProblemResponses problems) {
    this.exchange = exchange;
    this.toll = toll;
    this.problems = problems;
  }

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
