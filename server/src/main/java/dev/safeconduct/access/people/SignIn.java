package dev.safeconduct.access.people;

import dev.safeconduct.access.StartSession;
import dev.safeconduct.error.ProblemException;
import java.util.Optional;

/**
 * The settings a page needs to sign people in.
 *
 * @param provider the identity provider, if one is configured
 * @param second what a second step needs
 * @param passwords whether people can sign in by a password
 */
public record SignIn(
    LogIn logIn,
    SecondStep second,
    Accounts accounts,
    ForgotPassword forgotPassword,
    FormPage page,
    Optional<OidcSignIn> provider,
    boolean passwords) {
  /** The page of the second step. */
  public static final String SECOND_STEP = "/console/sign-in/second-step";

  /** The second step of a sign-in, and sign-in by passkey. */
  public record SecondStep(
      PendingSignIns pending,
      SecondFactors factors,
      WebAuthn webAuthn,
      ManageFactors manage,
      SignInByPasskey passkeys) {}

  public FormToken forms() {
    return page.tokens();
  }

  /** Returns whether cookies travel over TLS only. */
  public boolean secure() {
    return page.secure();
  }

  public StartSession sessions() {
    return logIn.sessions();
  }

  /** Returns whether people can sign in by a passkey. */
  public boolean passkeys() {
    return passwords && second.webAuthn().isPossible();
  }

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
    return ProblemException.forbidden(
        "Sign-in by password is disabled (OIDC_ONLY); sign in at the identity provider with a"
            + " browser.");
  }
}
