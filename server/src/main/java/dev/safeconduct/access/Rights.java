package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.DeployRight;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The actions and data a caller has access to. This is the only source of a {@link Tenant}.
 *
 * @param boundTo the only agent that a setup key may access
 */
public record Rights(Tenant tenant, Set<Scope> scopes, Optional<AgentId> boundTo) {
  public Rights {
    scopes = Set.copyOf(scopes);
  }

  /**
   * Returns the caller's rights.
   *
   * @throws dev.safeconduct.error.ProblemException 401 for an anonymous caller
   */
  public static Rights of(Caller caller) {
    return switch (caller) {
      case Caller.Key key -> new Rights(new Tenant.One(key.org()), key.scopes(), key.boundTo());
      case Caller.Person person ->
          new Rights(new Tenant.One(person.org()), person.scopes(), Optional.empty());
      case Caller.Deploy deploy ->
          new Rights(
              new Tenant.One(deploy.org()),
              EnumSet.of(Scope.READ, Scope.ISSUE, Scope.UPDATE),
              Optional.empty());
      case Caller.Admin _ ->
          new Rights(new Tenant.Everyone(), EnumSet.allOf(Scope.class), Optional.empty());
      case Caller.Anonymous _ ->
          throw ProblemException.unauthorized(
              "A credential is needed; send an API key in X-API-Key.");
    };
  }

  /** Returns whether files of this caller may change this; only a deploy token may lack it. */
  public static boolean mayDeploy(Caller caller, DeployRight right) {
    return !(caller instanceof Caller.Deploy deploy) || deploy.may().contains(right);
  }

  /**
   * Refuses a deploy token that was made without the right.
   *
   * @param what the change that needs it, as the beginning of a sentence
   */
  public static void demandDeploy(Caller caller, DeployRight right, String what) {
    if (!mayDeploy(caller, right)) {
      throw ProblemException.forbidden(
          what + " needs a deploy token made with may: [" + right.wire() + "].");
    }
  }

  public boolean sees(OrgId org) {
    return tenant.sees(org);
  }

  /** Returns whether the agent is within reach; a setup key reaches only one. */
  public boolean reaches(AgentId agent) {
    return boundTo.isEmpty() || boundTo.get().equals(agent);
  }

  public void demand(Scope scope) {
    if (!scopes.contains(scope)) {
      throw ProblemException.forbidden(
          "This needs a credential with the scope " + scope.wire() + ".");
    }
  }

  /** Refuses a setup key, which may access only its passport. */
  public void demandUnbound() {
    if (boundTo.isPresent()) {
      throw ProblemException.forbidden(
          "A setup key serves only its own passport; use a key of the organization.");
    }
  }
}
