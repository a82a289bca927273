package dev.safeconduct.access;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;

/** The organizations and passports that API keys refer to. */
public interface Directory {
  boolean knows(OrgId org);

  /** Returns whether the organization has a passport with that id. */
  boolean owns(OrgId org, AgentId agent);

  /**
   * Returns the organization that a path names.
   *
   * @throws dev.safeconduct.error.ProblemException 404 when it does not exist or these rights do
   *     not reach it
   */
  default OrgId within(Rights rights, String text) {
    if (text.isEmpty() || text.length() > 128) {
      throw NotFoundProblems.organization(text);
    }
    OrgId org = new OrgId(text);
    if (!rights.sees(org) || !knows(org)) {
      throw NotFoundProblems.organization(text);
    }
    return org;
  }
}
