package dev.safeconduct.access;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.problem.Problem;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * What a caller may do and see. This is the one place where a {@link Tenant} comes from.
 *
 * @param boundTo the only agent a setup key may touch
 */
public record Rights(Tenant tenant, Set<Scope> scopes, Optional<AgentId> boundTo) {
  public Rights {
    scopes = Set.copyOf(scopes);
  }

  /**
   * The caller's rights.
   *
   * @throws dev.safeconduct.problem.ProblemException 401 for an anonymous caller
   */
  public static Rights of(Caller caller) {
    return switch (caller) {
      case Caller.Key key -> new Rights(new Tenant.One(key.org()), key.scopes(), key.boundTo());
      case Caller.Person person ->
          new Rights(new Tenant.One(person.org()), person.scopes(), Optional.empty());
      case Caller.Admin _ ->
          new Rights(new Tenant.Everyone(), EnumSet.allOf(Scope.class), Optional.empty());
      case Caller.Anonymous _ ->
          throw new Problem.Unauthorized("A credential is needed; send an API key in X-API-Key.")
              .toException();
    };
  }

  public boolean sees(OrgId org) {
    return tenant.sees(org);
  }

  /** Whether the agent is not beyond a setup key's only one. */
  public boolean reaches(AgentId agent) {
    return boundTo.isEmpty() || boundTo.get().equals(agent);
  }

  public void demand(Scope scope) {
    if (!scopes.contains(scope)) {
      throw new Problem.Forbidden("This needs a credential with the scope " + scope.wire() + ".")
          .toException();
    }
  }

  /** Refuses a setup key, which serves one passport and nothing else. */
  public void demandUnbound() {
    if (boundTo.isPresent()) {
      throw new Problem.Forbidden(
              "A setup key serves only its own passport; use a key of the organization.")
          .toException();
    }
  }
}
