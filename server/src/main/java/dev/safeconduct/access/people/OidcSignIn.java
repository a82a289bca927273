package dev.safeconduct.access.people;

import dev.safeconduct.access.ProviderSession;
import java.net.URI;
import java.util.Optional;

/** Sign-in at the identity provider: the provider, attempts in progress, and the use case. */
public record OidcSignIn(
    IdentityProvider provider, ProviderAttempts attempts, SignInByProvider signIn) {
  /** Returns the provider's name as people know it. */
  public String name() {
    return provider.config().name();
  }

  /** Returns where the browser goes to end the session at the provider, too. */
  public Optional<URI> logoutAddress(ProviderSession session) {
    return provider.logoutAddress(signIn.idToken(session));
  }
}
