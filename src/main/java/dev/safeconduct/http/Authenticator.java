package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.problem.Problem;

/** Turns a credential into the caller it belongs to. */
public interface Authenticator {
  /**
   * The caller the credential belongs to.
   *
   * @param bearer whether it came as {@code Authorization: Bearer}, the only form in which the
   *     admin token is accepted
   * @param clientAddress the caller's address, for the limit on failed attempts
   * @throws dev.safeconduct.problem.ProblemException 401 for a credential that is not good, 429 for
   *     an address that has tried too often
   */
  Caller authenticate(String credential, boolean bearer, String clientAddress);

  /**
   * The person whose session a cookie holds.
   *
   * @throws dev.safeconduct.problem.ProblemException 401 for a session that has ended, or is none
   */
  default Caller session(String token, String clientAddress) {
    throw new Problem.Unauthorized("No sessions are taken here.").toException();
  }

  /** Whether the text is the CSRF token of the caller's session. */
  default boolean isCsrfToken(Caller caller, String text) {
    return false;
  }
}
