package dev.safeconduct.webhook;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.webhook.delivery.AttemptOutcome;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.StatusEvent;
import dev.safeconduct.webhook.delivery.WebhookClient;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Sends a made-up event once: no retries, no dead letter, and nothing is kept. */
final class SendTestEvent {
  /** The agent of an event that is about none. */
  static final AgentId NOBODY = new AgentId("ap_" + "0".repeat(32));

  private final WebhookClient client;
  private final Recorder recorder;
  private final WebhookConfig config;

  SendTestEvent(WebhookClient client, Recorder recorder, WebhookConfig config) {
    this.client = client;
    this.recorder = recorder;
    this.config = config;
  }

  /**
   * The event sent and what came of it.
   *
   * @param took from making the event up to the end of the try
   */
  record Result(StatusEvent event, AttemptOutcome outcome, Duration took) {}

  /** Sends it as the operator, whose receiver may be on this machine. */
  Result run(ReceiverUrl url, Optional<WebhookSecret> secret, AgentId agent) {
    long began = System.nanoTime();
    Instant now = recorder.now();
    StatusEvent event =
        StatusEvent.of(
            "msg_" + recorder.nextHex(),
            agent,
            PassportStatus.ACTIVE,
            PassportStatus.SUSPENDED,
            now,
            now);
    Duration timeout = config.policy().timeout();
    var receiver =
        new Receiver(
            "test", Optional.empty(), url, secret.map(List::of).orElse(List.of()), config.policy());
    AttemptOutcome outcome =
        client.send(
            receiver, event, 1, timeout.compareTo(config.total()) > 0 ? config.total() : timeout);
    return new Result(event, outcome, Duration.ofNanos(System.nanoTime() - began));
  }
}
