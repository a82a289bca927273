package dev.safeconduct.people;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.Unknown;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;

/**
 * Which organization a request is about: a key's own; for the admin credential the one it names,
 * else the first.
 */
public final class ActingOrganization {
  private final Organizations organizations;

  public ActingOrganization(Organizations organizations) {
    this.organizations = organizations;
  }

  /** The organization when the request names none. */
  public OrgId of(Rights rights) {
    return switch (rights.tenant()) {
      case Tenant.One one -> one.org();
      case Tenant.Everyone _ ->
          organizations.first().orElseThrow(() -> Unknown.organization("first")).id();
    };
  }

  /**
   * The organization a request names by {@code org_id}.
   *
   * @throws dev.safeconduct.problem.ProblemException 404 when it does not exist or is another's
   */
  public OrgId named(Rights rights, String text) {
    if (text.isEmpty() || text.length() > 128) {
      throw Unknown.organization(text);
    }
    OrgId org = new OrgId(text);
    return switch (rights.tenant()) {
      case Tenant.One one when one.org().equals(org) -> org;
      case Tenant.One _ -> throw Unknown.organization(text);
      case Tenant.Everyone _ ->
          organizations.find(org).orElseThrow(() -> Unknown.organization(text)).id();
    };
  }
}
