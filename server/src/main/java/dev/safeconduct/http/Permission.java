package dev.safeconduct.http;

import dev.safeconduct.identity.Scope;

/** The callers who may use a route. The admin credential satisfies every permission. */
public sealed interface Permission {
  /** Any caller; a credential is ignored. */
  record Open() implements Permission {}

  /** Any caller; a credential is optional, but must be valid when it is sent. */
  record OptionalCredential() implements Permission {}

  /** A credential that has the scope. */
  record Scoped(Scope scope) implements Permission {}

  /**
   * As {@link Scoped}; where {@code ANONYMOUS_VERIFY} allows it, also callers without a credential.
   */
  record ScopedOrAnonymous(Scope scope) implements Permission {}

  /** The admin credential; another valid credential is a 403. */
  record AdminOnly() implements Permission {}

  /**
   * The admin credential, or the session of an owner or admin of an organization. API keys are
   * refused, so an agent cannot use such a route.
   */
  record Administrator() implements Permission {}

  /** Any valid credential, whatever its scopes. */
  record AnyCredential() implements Permission {}

  /** The admin credential; anything else, other valid credentials included, is a 401. */
  record AdminOrUnauthorized() implements Permission {}

  /**
   * A page for people. The caller is the person of a valid session, else anonymous; the page itself
   * redirects anonymous callers to the sign-in page. Only a session counts. On an unsafe method it
   * counts only for a form of this service with the session's CSRF token.
   */
  record Browser() implements Permission {}

  Permission OPEN = new Open();
  Permission BROWSER = new Browser();
  Permission OPTIONAL_CREDENTIAL = new OptionalCredential();
  Permission ADMIN_ONLY = new AdminOnly();
  Permission ADMINISTRATOR = new Administrator();

  static Permission scope(Scope scope) {
    return new Scoped(scope);
  }
}
