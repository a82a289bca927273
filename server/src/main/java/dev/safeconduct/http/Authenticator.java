package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.Caller;

/** Authenticates callers by their credentials. */
public interface Authenticator {
  /**
   * Returns the caller to whom the credential belongs.
   *
   * @param bearer whether it was sent as {@code Authorization: Bearer}, the only form in which the
   *     admin token is accepted
   * @param clientAddress the caller's address, for the limit on failed attempts
   * @throws dev.safeconduct.error.ProblemException 401 for a credential that is not valid, 429 for
   *     an address with too many failed attempts
   */
  Caller authenticate(String credential, boolean bearer, String clientAddress);

  /**
   * Returns the person of the session in a cookie.
   *
   * @throws dev.safeconduct.error.ProblemException 401 for a session that has ended or does not
   *     exist
   */
  default Caller session(String token, String clientAddress) {
    throw new Problem.Unauthorized("No sessions are taken here.").toException();
  }

  /** Returns whether the text is the CSRF token of the caller's session. */
  default boolean isCsrfToken(Caller caller, String text) {
    return false;
  }
}
