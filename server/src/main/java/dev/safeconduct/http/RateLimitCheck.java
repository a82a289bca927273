package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.Caller;
import java.util.Optional;
import java.util.OptionalInt;

/** Counts one request against its caller's rate limits. */
final class RateLimitCheck {
  private final RateLimiter throttle;
  private final Route route;
  private final Caller caller;
  private final String clientAddress;
  private RateLimitStatus allowance = RateLimitStatus.UNLIMITED;

  RateLimitCheck(RateLimiter throttle, Route route, Caller caller, String clientAddress) {
    this.throttle = throttle;
    this.route = route;
    this.caller = caller;
    this.clientAddress = clientAddress;
  }

  /** Returns the caller's remaining quota, as last seen. */
  RateLimitStatus allowance() {
    return allowance;
  }

  /**
   * Counts the request itself.
   *
   * @throws dev.safeconduct.error.ProblemException 429, after a pause, when the limit is exceeded
   */
  void take() {
    take(0);
  }

  /**
   * Counts a number of further decisions, all or none.
   *
   * @throws dev.safeconduct.error.ProblemException 429 as for the request itself; 400 when the
   *     number exceeds the limit itself
   */
  void takeFurther(int decisions) {
    if (decisions > 0) {
      take(decisions);
    }
  }

  private void take(int further) {
    allowance = throttle.take(route, caller, clientAddress, further);
    OptionalInt wait = allowance.retryAfterSeconds();
    if (wait.isPresent()) {
      RateLimitDelay.pause();
      throw new Problem.RateLimited(
              "Too many requests. Try again in " + wait.getAsInt() + " s.",
              wait.getAsInt(),
              Optional.empty())
          .toException();
    }
  }
}
