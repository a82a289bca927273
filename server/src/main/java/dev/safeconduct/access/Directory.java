package dev.safeconduct.access;

import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import java.sql.Connection;
import java.sql.SQLException;

/** The organizations and passports that API keys refer to. */
public interface Directory {
  boolean knows(OrgId org);

  /** Returns whether the organization has a passport with that id. */
  boolean owns(OrgId org, AgentId agent);

  /**
   * Refuses, within a transaction, what would be added to an organization that has been deleted
   * since the request was admitted: nobody could see or end it.
   */
  static void demand(Connection connection, OrgId org) throws SQLException {
    if (!knows(connection, org)) {
      throw NotFoundProblems.organization(org.value());
    }
  }

  /** Returns whether the organization exists, within a transaction. */
  static boolean knows(Connection connection, OrgId org) throws SQLException {
    return Sql.of("SELECT 1 FROM organization WHERE id = :id", org).exists(connection);
  }

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
