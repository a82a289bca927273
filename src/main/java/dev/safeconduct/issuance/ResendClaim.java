package dev.safeconduct.issuance;

import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Duration;
import java.util.Optional;

/**
 * Has the letter about a claim sent once more. Whether there is such an agent, and a claim, is
 * looked up only when the letter is written, so neither answer nor time tells.
 */
public final class ResendClaim {
  private static final Rate PER_AGENT = new Rate("resend", 3, Duration.ofDays(1));

  /** Beyond it nothing is sent, and nothing said: the answer tells nobody anything. */
  private static final Rate PER_ADDRESS = new Rate("resend-address", 60, Duration.ofHours(1));

  private final Outbox outbox;
  private final RateLimits limits;
  private final Recorder recorder;
  private final Runnable nudge;

  /**
   * @param nudge tells the postman that there is a letter
   */
  public ResendClaim(Outbox outbox, RateLimits limits, Recorder recorder, Runnable nudge) {
    this.outbox = outbox;
    this.limits = limits;
    this.recorder = recorder;
    this.nudge = nudge;
  }

  /**
   * Has it sent, at most three times a day.
   *
   * @param agent as it was sent; any text
   */
  public void run(String address, String agent) {
    Optional<AgentId> id = AgentId.hosted(agent);
    if (id.isPresent()
        && limits.take(PER_ADDRESS, address).granted()
        && limits.take(PER_AGENT, id.get().value()).granted()) {
      outbox.add(
          OutboxEntry.of(
              "mail_" + recorder.nextHex(), ClaimLetters.AGAIN, id.get().value(), recorder.now()));
      nudge.run();
    }
  }
}
