package dev.safeconduct.access.people;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import java.util.List;

/**
 * The organization of a request: a key's own; for the admin credential the one the request names,
 * or else the first.
 */
public final class ActingOrganization {
  /** The longest id; names are shorter. */
  private static final int MOST = 128;

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
    if (text.isEmpty() || text.length() > MOST) {
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

  /**
   * Returns the organization with this id, or else the only one with this name.
   *
   * @param member the part of the request that has the text
   * @throws dev.safeconduct.error.ProblemException 400 naming the member for a text that is no id,
   *     404 when none is accessible, 409 for a name that several have
   */
  public OrgId called(Rights rights, String member, String text) {
    if (text.isEmpty() || text.length() > MOST) {
      throw ProblemException.invalid(
          member, member + " must be the id or the name of an organization, 1 to 128 characters.");
    }
    List<OrgId> found = organizations.called(rights.tenant(), text);
    if (found.size() > 1) {
      throw ProblemException.conflict(
          "Several organizations have this name; give the id of one.", "ambiguous_organization");
    }
    return found.isEmpty() ? named(rights, text) : found.getFirst();
  }
}
