package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Scope;
import java.util.Optional;
import java.util.function.Supplier;

/** Decides whether a caller may use a route; every refusal is a 401, 403 or 429. */
final class RouteAuthorizer {
  static final Caller ANONYMOUS = new Caller.Anonymous();

  private final Authenticator authenticator;
  private final boolean anonymousVerify;

  RouteAuthorizer(Authenticator authenticator, boolean anonymousVerify) {
    this.authenticator = authenticator;
    this.anonymousVerify = anonymousVerify;
  }

  /**
   * Returns the caller if the route's permission allows the request.
   *
   * @param credential read only when the permission uses credentials
   * @throws dev.safeconduct.error.ProblemException when access is refused
   */
  Caller admit(Route route, Supplier<Optional<Credential>> credential, String clientAddress) {
    Caller caller = admit(route.permission(), route.deploys(), credential, clientAddress);
    if (caller instanceof Caller.Admin admin && admin.readOnly() && !route.isRead()) {
      throw new Problem.Forbidden(
              "This token is read-only: it may call GET and POST /api/plan only.")
          .toException();
    }
    return caller;
  }

  private Caller admit(
      Permission permission,
      boolean deploys,
      Supplier<Optional<Credential>> credential,
      String clientAddress) {
    return switch (permission) {
      case Permission.Open _ -> ANONYMOUS;
      case Permission.Browser _ -> visitor(credential, clientAddress);
      case Permission.OptionalCredential _ ->
          credential.get().map(c -> check(c, clientAddress)).orElse(ANONYMOUS);
      case Permission.ScopedOrAnonymous _ -> {
        Optional<Credential> sent = credential.get();
        yield anonymousVerify && sent.isEmpty()
            ? ANONYMOUS
            : demand(permission, known(sent, clientAddress));
      }
      case Permission.Scoped _,
          Permission.AdminOnly _,
          Permission.Administrator _,
          Permission.AnyCredential _,
          Permission.AdminOrUnauthorized _ -> {
        Caller caller = known(credential.get(), clientAddress);
        yield deploys && caller instanceof Caller.Deploy ? caller : demand(permission, caller);
      }
    };
  }

  /**
   * Returns the caller if the permission allows them.
   *
   * @throws dev.safeconduct.error.ProblemException 401 or 403 otherwise
   */
  static Caller demand(Permission permission, Caller caller) {
    if (caller instanceof Caller.Deploy) {
      throw new Problem.Forbidden(
              "A deploy token publishes packs and passports; this endpoint takes another"
                  + " credential.")
          .toException();
    }
    return switch (permission) {
      case Permission.Open _, Permission.Browser _, Permission.OptionalCredential _ -> caller;
      case Permission.Scoped scoped -> scoped(scoped.scope(), caller);
      case Permission.ScopedOrAnonymous scoped -> scoped(scoped.scope(), caller);
      case Permission.AdminOnly _ -> {
        if (!(caller instanceof Caller.Admin)) {
          throw new Problem.Forbidden("This endpoint takes the admin token only.").toException();
        }
        yield caller;
      }
      case Permission.Administrator _ -> {
        if (!(caller instanceof Caller.Admin)
            && !(caller instanceof Caller.Person person && person.role().administers())) {
          throw new Problem.Forbidden(
                  "This endpoint takes the session of an owner or admin of the organization, or the"
                      + " admin token; no API key opens it.")
              .toException();
        }
        yield caller;
      }
      case Permission.AnyCredential _ -> {
        if (caller instanceof Caller.Anonymous) {
          throw unauthorized("This endpoint needs a credential.");
        }
        yield caller;
      }
      case Permission.AdminOrUnauthorized _ -> {
        if (!(caller instanceof Caller.Admin)) {
          throw unauthorized("This endpoint takes the admin token only.");
        }
        yield caller;
      }
    };
  }

  /**
   * Returns the caller of a page; an invalid session is ignored, and no other credential counts.
   */
  private Caller visitor(Supplier<Optional<Credential>> credential, String clientAddress) {
    try {
      return credential
          .get()
          .filter(sent -> sent.kind() == Credential.Kind.SESSION_COOKIE)
          .map(sent -> check(sent, clientAddress))
          .orElse(ANONYMOUS);
    } catch (ProblemException _) {
      return ANONYMOUS;
    }
  }

  private static Caller scoped(Scope scope, Caller caller) {
    return switch (caller) {
      case Caller.Admin admin -> admin;
      case Caller.Key key -> {
        if (!key.scopes().contains(scope)) {
          throw new Problem.Forbidden(
                  "The key lacks the scope "
                      + scope.wire()
                      + "; use one that has it or ask for it to be added.")
              .toException();
        }
        yield key;
      }
      case Caller.Person person -> {
        if (!person.scopes().contains(scope)) {
          throw new Problem.Forbidden(
                  "The role "
                      + person.role().wire()
                      + " lacks the scope "
                      + scope.wire()
                      + "; ask an owner of the organization.")
              .toException();
        }
        yield person;
      }
      case Caller.Deploy _, Caller.Anonymous _ ->
          throw unauthorized("This endpoint needs a credential.");
    };
  }

  private Caller known(Optional<Credential> credential, String clientAddress) {
    return check(
        credential.orElseThrow(() ->
            unauthorized(
                "This endpoint needs a credential; send an API key in X-API-Key, or the admin token"
                    + " as Authorization: Bearer <token>.")),
        clientAddress);
  }

  private Caller check(Credential credential, String clientAddress) {
    return switch (credential.kind()) {
      case API_KEY_HEADER -> authenticator.authenticate(credential.text(), false, clientAddress);
      case BEARER -> authenticator.authenticate(credential.text(), true, clientAddress);
      case SESSION_COOKIE -> authenticator.session(credential.text(), clientAddress);
    };
  }

  private static RuntimeException unauthorized(String message) {
    return new Problem.Unauthorized(message).toException();
  }
}
