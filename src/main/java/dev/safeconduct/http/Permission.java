package dev.safeconduct.http;

import dev.safeconduct.identity.Scope;

/** Who may call a route. The admin credential passes every one of them. */
public sealed interface Permission {
  /** Anybody; a credential is not even looked at. */
  record Open() implements Permission {}

  /** Anybody; a credential that is sent must be a good one. */
  record OptionalCredential() implements Permission {}

  /** A credential that holds the scope. */
  record Scoped(Scope scope) implements Permission {}

  /** As {@link Scoped}; without a credential nobody's, where {@code ANONYMOUS_VERIFY} allows it. */
  record ScopedOrAnonymous(Scope scope) implements Permission {}

  /** The admin credential; another valid credential is a 403. */
  record AdminOnly() implements Permission {}

  /**
   * The admin credential, or the session of an owner or admin of an organization. No key opens it,
   * so no agent does.
   */
  record Administrator() implements Permission {}

  /** Any credential, whatever it may do. */
  record AnyCredential() implements Permission {}

  /** The admin credential; anything else, other valid credentials included, is a 401. */
  record AdminOrUnauthorized() implements Permission {}

  /**
   * A page for people: whoever has a good session, else nobody, and the page itself sends nobody to
   * sign in. Only a session counts, and on an unsafe method only that of a form of ours with its
   * CSRF token.
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
