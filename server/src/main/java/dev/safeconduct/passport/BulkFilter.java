package dev.safeconduct.passport;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import java.util.List;
import java.util.Optional;

/**
 * The passports that a change of many statuses is about: those that all parts select. Empty parts
 * do not restrict it.
 *
 * @param framework a framework the passport must name
 * @param capability an id of a capability the passport must have
 * @param template the template that the passport is made from, directly or not
 * @param agents the agents, of which the list may be empty
 */
record BulkFilter(
    Optional<OrgId> org,
    Optional<String> framework,
    Optional<String> capability,
    Optional<AgentId> template,
    Optional<List<AgentId>> agents) {
  BulkFilter {
    agents = agents.map(List::copyOf);
  }

  /** Returns the filter for all passports of an organization. */
  static BulkFilter of(OrgId org) {
    return new BulkFilter(
        Optional.of(org), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }
}
