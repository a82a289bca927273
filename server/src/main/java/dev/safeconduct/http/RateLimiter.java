package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;

/** Decides whether a request of a known caller exceeds a rate limit. */
@FunctionalInterface
public interface RateLimiter {
  /**
   * Counts the request, or its further decisions.
   *
   * @param further 0 for the request itself; else the number of decisions, which are counted all or
   *     none
   * @throws dev.safeconduct.error.ProblemException 400 when the number exceeds the limit itself
   */
  RateLimitStatus take(Route route, Caller caller, String clientAddress, int further);
}
