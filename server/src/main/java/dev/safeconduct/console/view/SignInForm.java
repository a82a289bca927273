package dev.safeconduct.console.view;

import java.util.Optional;

/**
 * The sign-in page; {@code console/sign-in.jte}.
 *
 * @param next the path of the page that the person requested
 * @param provider the identity provider, if people can sign in there
 * @param passkey the options of a sign-in by passkey, as JSON; empty where that is not possible
 * @param problem why signing in failed; empty at first
 * @param notice a message about an earlier step; empty for none
 */
public record SignInForm(
    String csrf,
    String next,
    Optional<Provider> provider,
    Optional<String> passkey,
    String email,
    String problem,
    String notice,
    Layout.Assets assets) {
  /**
   * An identity provider.
   *
   * @param path where to begin there
   * @param only whether sign-in by password is disabled
   */
  public record Provider(String name, String path, boolean only) {}

  /** Returns whether people can sign in by a password. */
  public boolean passwords() {
    return provider.filter(Provider::only).isEmpty();
  }
}
