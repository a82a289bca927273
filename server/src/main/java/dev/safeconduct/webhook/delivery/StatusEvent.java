package dev.safeconduct.webhook.delivery;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;
import java.util.Set;

/**
 * The event that receivers get when a passport's status has changed.
 *
 * @param id the same for all receivers, tries and later redeliveries, so that a receiver can tell
 *     whether it has seen the event
 */
public record StatusEvent(String id, AgentId agent, JsonObject payload) {
  /** The only kind of event there is. */
  public static final String TYPE = "status_change";

  private static final Set<String> NAMES = Set.of(TYPE, "status.changed");

  /** Whether the name is one of the two spellings of this event's kind. */
  public static boolean isNamed(String name) {
    return NAMES.contains(name);
  }

  /**
   * An event with the members the public specification fixes, in its order.
   *
   * @param updatedAt when the status changed
   * @param now when receivers are notified
   */
  public static StatusEvent of(
      String id,
      AgentId agent,
      PassportStatus previous,
      PassportStatus status,
      Instant updatedAt,
      Instant now) {
    return new StatusEvent(
        id,
        agent,
        JsonObject.builder()
            .put("agent_id", agent.value())
            .put("status", status.wire())
            .put("previous_status", previous.wire())
            .put("updated_at", IsoInstant.millis(updatedAt))
            .put("event_type", TYPE)
            .put("timestamp", IsoInstant.millis(now))
            .build());
  }

  /** The bytes that are sent and signed. */
  byte[] body() {
    return Json.bytes(payload);
  }
}
