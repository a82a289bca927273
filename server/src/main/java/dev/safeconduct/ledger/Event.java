package dev.safeconduct.ledger;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import java.util.Optional;

/**
 * Something that an organization may want to hear of.
 *
 * @param agent the agent it concerns; a webhook for one agent hears only of that agent
 * @param page the path of the console's page about it
 * @param data the members of the payload that belong to this type
 */
public record Event(
    EventType type, OrgId org, Optional<AgentId> agent, String page, JsonObject data) {
  /** Returns the event that an organization was halted, or without a reason that it was resumed. */
  public static Event halt(OrgId org, Optional<String> reason) {
    return new Event(
        EventType.ORGANIZATION_HALTED,
        org,
        Optional.empty(),
        "/console/halt",
        JsonObject.builder()
            .put("state", reason.isPresent() ? "halted" : "resumed")
            .putIfPresent("reason", reason)
            .build());
  }

  /** Returns the event that observe mode is in another state: started, ended or expired. */
  public static Event observeMode(
      OrgId org, Optional<AgentId> agent, String state, String until, String reason) {
    return new Event(
        EventType.OBSERVE_MODE,
        org,
        agent,
        agent.map(id -> "/console/passports/" + id.value()).orElse("/console/observe"),
        JsonObject.builder().put("state", state).put("until", until).put("reason", reason).build());
  }
}
