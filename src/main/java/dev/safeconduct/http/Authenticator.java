package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;

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
}
