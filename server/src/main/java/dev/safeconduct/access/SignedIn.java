package dev.safeconduct.access;

import dev.safeconduct.identity.Caller;
import java.util.Optional;

/** Identifies the session of a token. */
public interface SignedIn {
  /** Returns the token's caller; empty when the token is not valid or its session has ended. */
  Optional<Caller> caller(String token);

  /** Returns whether the text is the CSRF token of the caller's session. */
  boolean isCsrf(Caller caller, String text);
}
