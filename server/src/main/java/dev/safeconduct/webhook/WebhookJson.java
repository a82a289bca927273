package dev.safeconduct.webhook;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.webhook.delivery.Delivery;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import java.util.List;
import java.util.Optional;

/** How answers and records spell webhooks and deliveries; absent parts are null. */
final class WebhookJson {
  private WebhookJson() {}

  /** A webhook as it may be shown at any time: never with a secret. */
  static JsonObject webhook(Webhook webhook, RetryPolicy operators) {
    RetryPolicy policy = webhook.policy(operators);
    Optional<String> agent = webhook.agent().map(AgentId::value);
    return JsonObject.builder()
        .put("webhook_id", webhook.id())
        .put("org_id", webhook.org().value())
        .put("url", webhook.url().text())
        .put("target", agent.isPresent() ? "agent" : "organization")
        .put("target_id", agent.orElse(webhook.org().value()))
        .putOrNull("agent_id", agent)
        .put("events", JsonArray.ofStrings(webhook.events()))
        .put("format", webhook.format().wire())
        .put("active", webhook.active())
        .put("retry_attempts", policy.retries())
        .put("retry_delay_ms", policy.delay().toMillis())
        .put("timeout_ms", policy.timeout().toMillis())
        .putOrNull("previous_secret_expires_at", webhook.overlapEndsAt().map(IsoInstant::millis))
        .put("created_at", IsoInstant.millis(webhook.createdAt()))
        .put("updated_at", IsoInstant.millis(webhook.updatedAt()))
        .build();
  }

  /** Returns the operator's receiver in the form of a webhook. */
  static JsonObject operators(Receiver receiver) {
    RetryPolicy policy = receiver.policy();
    return JsonObject.builder()
        .put("webhook_id", receiver.id())
        .putNull("org_id")
        .put("url", receiver.url().text())
        .put("target", "all")
        .putNull("target_id")
        .putNull("agent_id")
        .put("events", JsonArray.ofStrings(List.of(EventType.STATUS_CHANGE.wire())))
        .put("format", receiver.format().wire())
        .put("active", true)
        .put("retry_attempts", policy.retries())
        .put("retry_delay_ms", policy.delay().toMillis())
        .put("timeout_ms", policy.timeout().toMillis())
        .putNull("previous_secret_expires_at")
        .putNull("created_at")
        .putNull("updated_at")
        .build();
  }

  /**
   * What the audit log keeps of a change. Of the URL only its origin (RFC 6454): paths and queries
   * of receivers often hold a token.
   */
  static JsonObject recorded(String change, Webhook webhook) {
    return JsonObject.builder()
        .put("webhook_id", webhook.id())
        .put("change", change)
        .put("origin", webhook.url().url().scheme() + "://" + webhook.url().authority())
        .putIfPresent("target_agent", webhook.agent().map(AgentId::value))
        .put("events", JsonArray.ofStrings(webhook.events()))
        .put("active", webhook.active())
        .build();
  }

  static JsonObject delivery(Delivery delivery) {
    Delivery.Progress progress = delivery.progress();
    return JsonObject.builder()
        .put("delivery_id", delivery.id())
        .put("webhook_id", delivery.receiver())
        .put("webhook_url", delivery.url())
        .put("event_id", delivery.event().id())
        .put("event_type", delivery.event().type())
        .putOrNull("agent_id", delivery.event().agent())
        .put("payload", delivery.event().payload())
        .put("status", progress.state().wire())
        .put("attempts", progress.attempts())
        .putNumberOrNull("response_status", progress.responseStatus())
        .putNumberOrNull(
            "response_time_ms", progress.responseTime().map(java.time.Duration::toMillis))
        .putOrNull("failure_reason", progress.failure())
        .put("created_at", IsoInstant.millis(delivery.createdAt()))
        .put("updated_at", IsoInstant.millis(progress.at()))
        .build();
  }

  static JsonValue text(Optional<String> text) {
    return text.<JsonValue>map(JsonString::new).orElse(JsonNull.NULL);
  }
}
