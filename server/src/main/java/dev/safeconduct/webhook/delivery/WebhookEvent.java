package dev.safeconduct.webhook.delivery;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.EventType;
import java.time.Instant;
import java.util.Optional;

/**
 * An event for receivers.
 *
 * @param id the same for all receivers, tries and later redeliveries, so that a receiver can tell
 *     whether it has seen the event
 */
public record WebhookEvent(String id, JsonObject payload) {
  /**
   * A status change with the members the public specification fixes, in its order.
   *
   * @param updatedAt when the status changed
   * @param now when receivers are notified
   */
  public static WebhookEvent statusChange(
      String id,
      AgentId agent,
      PassportStatus previous,
      PassportStatus status,
      Instant updatedAt,
      Instant now) {
    return new WebhookEvent(
        id,
        JsonObject.builder()
            .put("agent_id", agent.value())
            .put("status", status.wire())
            .put("previous_status", previous.wire())
            .put("updated_at", IsoInstant.millis(updatedAt))
            .put("event_type", EventType.STATUS_CHANGE.wire())
            .put("timestamp", IsoInstant.millis(now))
            .build());
  }

  public String type() {
    return payload.string("event_type").orElse(EventType.STATUS_CHANGE.wire());
  }

  /** Returns the agent it concerns; empty for an event of the whole organization. */
  public Optional<String> agent() {
    return payload.string("agent_id");
  }
}
