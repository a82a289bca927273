package dev.safeconduct.access.people;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rights;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;

/**
 * The organization of a request: a key's own; for the admin credential the one the request names,
 * or else the first.
 */
public final class ActingOrganization {
  private final Organizations organizations;

  public ActingOrganization(Organizations organizations) {
    this.organizations = organizations;
  }

  /** Returns the organization when the request names none. */
  public OrgId of(Rights rights) {
    return switch (rights.tenant()) {
      case Tenant.One one -> one.org();
      case Tenant.Everyone _ ->
          organizations.first().orElseThrow(() -> NotFoundProblems.organization("first")).id();
    };
  }

  /**
   * Returns the organization that a request names by {@code org_id}.
   *
   * @throws dev.safeconduct.error.ProblemException 404 when it does not exist or is not accessible
   */
  public OrgId named(Rights rights, String text) {
    if (text.isEmpty() || text.length() > 128) {
      throw NotFoundProblems.organization(text);
    }
    OrgId org = new OrgId(text);
    return switch (rights.tenant()) {
      case Tenant.One one when one.org().equals(org) -> org;
      case Tenant.One _ -> throw NotFoundProblems.organization(text);
      case Tenant.Everyone _ ->
          organizations.find(org).orElseThrow(() -> NotFoundProblems.organization(text)).id();
    };
  }
}
