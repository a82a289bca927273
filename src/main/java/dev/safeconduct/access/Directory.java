package dev.safeconduct.access;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;

/** What keys need to know of organizations and passports, which are kept elsewhere. */
public interface Directory {
  boolean knows(OrgId org);

  /** Whether the organization has a passport of that id. */
  boolean owns(OrgId org, AgentId agent);

  /**
   * The organization a path names.
   *
   * @throws dev.safeconduct.problem.ProblemException 404 when there is none, or none these rights
   *     reach
   */
  default OrgId within(Rights rights, String text) {
    if (text.isEmpty() || text.length() > 128) {
      throw Unknown.organization(text);
    }
    OrgId org = new OrgId(text);
    if (!rights.sees(org) || !knows(org)) {
      throw Unknown.organization(text);
    }
    return org;
  }
}
