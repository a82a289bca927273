package dev.safeconduct.access.people;

import dev.safeconduct.access.StartSession;

/** What follows a proved password. */
public sealed interface SignInResult {
  /** The person is signed in. */
  record Complete(StartSession.Started started) implements SignInResult {}

  /**
   * The person must use a second factor, or register one. Nothing is open to them before.
   *
   * @param cookie with which the second step finds them
   */
  record SecondStep(String cookie) implements SignInResult {
    @Override
    public String toString() {
      return "SecondStep[hidden]";
    }
  }
}
