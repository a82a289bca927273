package dev.safeconduct.webhook;

import dev.safeconduct.audit.Recorder;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.passport.PassportStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Sends a made-up event once: no retries, no dead letter, and nothing is kept. */
final class TryReceiver {
  /** The agent of an event that is about none. */
  static final AgentId NOBODY = new AgentId("ap_" + "0".repeat(32));

  private final SendOnce sendOnce;
  private final Recorder recorder;
  private final WebhookConfig config;

  TryReceiver(SendOnce sendOnce, Recorder recorder, WebhookConfig config) {
    this.sendOnce = sendOnce;
    this.recorder = recorder;
    this.config = config;
  }

  /**
   * The event sent and what came of it.
   *
   * @param took from making the event up to the end of the try
   */
  record Trial(StatusEvent event, Outcome outcome, Duration took) {}

  /** Sends it as the operator, whose receiver may be on this machine. */
  Trial run(ReceiverUrl url, Optional<WebhookSecret> secret, AgentId agent) {
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
    Outcome outcome =
        sendOnce.run(
            receiver, event, 1, timeout.compareTo(config.total()) > 0 ? config.total() : timeout);
    return new Trial(event, outcome, Duration.ofNanos(System.nanoTime() - began));
  }
}
