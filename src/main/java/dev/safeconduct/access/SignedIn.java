package dev.safeconduct.access;

import dev.safeconduct.identity.Caller;
import java.util.Optional;

/** Tells whose session a token is. */
public interface SignedIn {
  /** Who the token speaks for; empty when it is not good or its session has ended. */
  Optional<Caller> caller(String token);

  /** Whether the text is the CSRF token of the caller's session. */
  boolean isCsrf(Caller caller, String text);
}
