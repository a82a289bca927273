package dev.safeconduct.webhook;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Event;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.webhook.delivery.AttemptOutcome;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import dev.safeconduct.webhook.delivery.WebhookClient;
import dev.safeconduct.webhook.delivery.WebhookEvent;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Sends a sample event to a webhook once, in its format and signed with its secret, without retries
 * and without a stored delivery.
 */
final class TestDelivery {
  /** The agent of a sample event for webhooks of the whole organization. */
  static final AgentId NOBODY = new AgentId("ap_" + "0".repeat(32));

  private final Receivers receivers;
  private final WebhookClient client;
  private final Recorder recorder;
  private final Duration most;

  TestDelivery(Receivers receivers, WebhookClient client, Recorder recorder, Duration most) {
    this.receivers = receivers;
    this.client = client;
    this.recorder = recorder;
    this.most = most;
  }

  /** The event that was sent, and the result. */
  record Sent(WebhookEvent event, AttemptOutcome outcome) {}

  Sent run(Webhook webhook, EventType type, Events events) {
    Instant now = recorder.now();
    return send(receivers.receiver(webhook, now), sample(webhook, type, events, now));
  }

  /** Sends a sample status change to a receiver that is not registered, as the operator. */
  Sent run(ReceiverUrl url, Optional<WebhookSecret> secret, AgentId agent) {
    return send(
        new Receiver(
            "test",
            Optional.empty(),
            url,
            secret.stream().toList(),
            receivers.policy(),
            Format.JSON),
        statusChange(agent, recorder.now()));
  }

  private Sent send(Receiver receiver, WebhookEvent event) {
    Duration timeout = RetryPolicy.shorter(receiver.policy().timeout(), most);
    return new Sent(event, client.send(receiver, event, 1, timeout));
  }

  private WebhookEvent statusChange(AgentId agent, Instant now) {
    return WebhookEvent.statusChange(
        "msg_" + recorder.nextHex(),
        agent,
        PassportStatus.ACTIVE,
        PassportStatus.SUSPENDED,
        now,
        now);
  }

  private WebhookEvent sample(Webhook webhook, EventType type, Events events, Instant now) {
    AgentId agent = webhook.agent().orElse(NOBODY);
    if (type == EventType.STATUS_CHANGE) {
      return statusChange(agent, now);
    }
    Optional<AgentId> concerned =
        switch (type) {
          case KEY_EXPIRING, ORGANIZATION_HALTED, OBSERVE_MODE -> Optional.empty();
          default -> Optional.of(agent);
        };
    return new WebhookEvent(
        "msg_" + recorder.nextHex(),
        events.payload(
            new Event(type, webhook.org(), concerned, "/console/webhooks", data(type)), now));
  }

  /** Returns data of the type, marked as a test. */
  private static JsonObject data(EventType type) {
    JsonObject.Builder data = JsonObject.builder().put("test", true);
    switch (type) {
      case STATUS_CHANGE -> {}
      case APPROVAL_REQUESTED -> data.put("status", "pending").put("policy_id", "test.v1");
      case APPROVAL_DECIDED -> data.put("status", "approved").put("policy_id", "test.v1");
      case DENY_SPIKE -> data.put("denials", 100).put("threshold", 100);
      case LIMIT_NEAR ->
          data.put("policy_id", "test.v1")
              .put("limit", "test")
              .put("percent", 80)
              .put("used", 80)
              .put("max", 100);
      case KEY_EXPIRING -> data.put("name", "Test");
      case OBSERVE_MODE ->
          data.put("state", "started")
              .put("until", "2027-01-01T00:00:00.000Z")
              .put("reason", "A test");
      case ORGANIZATION_HALTED -> data.put("state", "halted").put("reason", "A test");
    }
    return data.build();
  }
}
