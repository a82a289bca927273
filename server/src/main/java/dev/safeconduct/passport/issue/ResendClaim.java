package dev.safeconduct.passport.issue;

import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.net.IpAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Sends the claim email again. The agent and its claim are looked up only when the email is
 * written, so neither response nor timing reveals whether they exist.
 */
public final class ResendClaim {
  private static final Rate PER_AGENT = new Rate("resend", 3, Duration.ofDays(1));

  /** Beyond this limit nothing is sent, but the response stays the same and reveals nothing. */
  private static final Rate PER_ADDRESS = new Rate("resend-address", 60, Duration.ofHours(1));

  private final Outbox outbox;
  private final RateLimits limits;
  private final Recorder recorder;
  private final Runnable trigger;

  /**
   * @param trigger notifies the outbox sender of a waiting email
   */
  public ResendClaim(Outbox outbox, RateLimits limits, Recorder recorder, Runnable trigger) {
    this.outbox = outbox;
    this.limits = limits;
    this.recorder = recorder;
    this.trigger = trigger;
  }

  /**
   * Sends the email again, at most three times a day.
   *
   * @param agent the agent id as received; any text
   */
  public void run(String address, String agent) {
    Optional<AgentId> id = AgentId.hosted(agent);
    if (id.isPresent()
        && limits.take(PER_ADDRESS, IpAddress.network(address)).granted()
        && limits.take(PER_AGENT, id.get().value()).granted()) {
      outbox.add(
          OutboxEntry.of(
              "mail_" + recorder.nextHex(), ClaimEmails.AGAIN, id.get().value(), recorder.now()));
      trigger.run();
    }
  }
}
