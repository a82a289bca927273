package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.problem.Problem;
import java.util.Optional;
import java.util.OptionalInt;

/** What one request takes of its caller's limits. */
final class Toll {
  private final Throttle throttle;
  private final Route route;
  private final Caller caller;
  private final String clientAddress;
  private Allowance allowance = Allowance.UNLIMITED;

  Toll(Throttle throttle, Route route, Caller caller, String clientAddress) {
    this.throttle = throttle;
    this.route = route;
    this.caller = caller;
    this.clientAddress = clientAddress;
  }

  /** What the caller has left, as last seen. */
  Allowance allowance() {
    return allowance;
  }

  /**
   * Takes one for the request itself.
   *
   * @throws dev.safeconduct.problem.ProblemException 429, after a pause, when there is none
   */
  void take() {
    take(0);
  }

  /**
   * Takes so many more, all or none.
   *
   * @throws dev.safeconduct.problem.ProblemException as the first; 400 when there could never be so
   *     many
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
      Hesitation.pause();
      throw new Problem.RateLimited(
              "Too many requests. Try again in " + wait.getAsInt() + " s.",
              wait.getAsInt(),
              Optional.empty())
          .toException();
    }
  }
}
