package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;

/** Says of a request whose caller is known whether it is one too many. */
@FunctionalInterface
public interface Throttle {
  /**
   * Counts the request, or what it asks for beside.
   *
   * @param further 0 for the request itself; else so many more, of which all are counted or none
   * @throws dev.safeconduct.problem.ProblemException 400 when so many could never be allowed at
   *     once
   */
  Allowance take(Route route, Caller caller, String clientAddress, int further);
}
