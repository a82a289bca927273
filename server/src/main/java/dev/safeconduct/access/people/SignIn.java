package dev.safeconduct.access.people;

import dev.safeconduct.access.StartSession;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import java.util.Optional;

/**
 * The settings a page needs to sign people in.
 *
 * @param provider the identity provider, if one is configured
 * @param passwords whether people can sign in by a password
 * @param secure whether cookies travel over TLS only
 */
public record SignIn(
    LogIn logIn,
    StartSession sessions,
    Accounts accounts,
    ForgotPassword forgotPassword,
    FormToken forms,
    Optional<OidcSignIn> provider,
    boolean passwords,
    boolean secure) {
  /**
   * Returns the path to open after a sign-in: one of the console, which prevents open redirects.
   */
  public static String next(String asked) {
    return Optional.of(asked)
        .filter(path -> path.length() <= 2000)
        .filter(path -> path.matches("/console(/[A-Za-z0-9._~%/-]*)?(\\?[A-Za-z0-9._~%&=:+-]*)?"))
        .filter(path -> !path.startsWith("/console/sign-in"))
        .orElse("/console");
  }

  /** The problem of whoever asks for a password's use where sign-in by password is disabled. */
  public static ProblemException closed() {
    return new Problem.Forbidden(
            "Sign-in by password is disabled (OIDC_ONLY); sign in at the identity provider with a"
                + " browser.")
        .toException();
  }
}
