package dev.safeconduct.people;

import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.audit.Origin;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Duration;

/**
 * Has a link sent to whoever forgot their password. Whether there is an account is looked up only
 * when the letter is written, so neither answer nor time tells.
 */
public final class ForgotPassword {
  private static final Rate PER_MAILBOX = new Rate("forgotten", 3, Duration.ofDays(1));
  private static final Rate PER_ADDRESS = new Rate("forgotten-address", 20, Duration.ofHours(1));

  private final Outbox outbox;
  private final RateLimits limits;
  private final Recorder recorder;
  private final Runnable nudge;

  /**
   * @param nudge tells the postman that there is a letter
   */
  public ForgotPassword(Outbox outbox, RateLimits limits, Recorder recorder, Runnable nudge) {
    this.outbox = outbox;
    this.limits = limits;
    this.recorder = recorder;
    this.nudge = nudge;
  }

  /**
   * Has the letter sent, at most three a day to one mailbox.
   *
   * @throws dev.safeconduct.problem.ProblemException 429 for an address that asks too often
   */
  public void run(Origin origin, EmailAddress email) {
    limits.demand(PER_ADDRESS, origin.address(), "Too many letters were asked for.");
    if (limits.take(PER_MAILBOX, email.mailbox()).granted()) {
      outbox.add(
          OutboxEntry.of(
              "mail_" + recorder.nextHex(),
              PersonalLetters.FORGOTTEN,
              email.value(),
              recorder.now()));
      nudge.run();
    }
  }
}
