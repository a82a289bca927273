package dev.safeconduct.access.people;

import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.net.IpAddress;
import java.time.Duration;

/**
 * Sends a link to people who forgot their password. The account is looked up only when the email is
 * written. Neither response nor duration therefore reveals whether it exists.
 */
public final class ForgotPassword {
  private static final Rate PER_MAILBOX = new Rate("forgotten", 3, Duration.ofDays(1));
  private static final Rate PER_ADDRESS = new Rate("forgotten-address", 20, Duration.ofHours(1));

  private final Outbox outbox;
  private final RateLimits limits;
  private final Recorder recorder;
  private final Runnable trigger;

  /**
   * @param trigger notifies the email sender that an email is queued
   */
  public ForgotPassword(Outbox outbox, RateLimits limits, Recorder recorder, Runnable trigger) {
    this.outbox = outbox;
    this.limits = limits;
    this.recorder = recorder;
    this.trigger = trigger;
  }

  /**
   * Queues the email, at most three a day to one mailbox.
   *
   * @throws dev.safeconduct.error.ProblemException 429 for an address that asks too often
   */
  public void run(Origin origin, EmailAddress email) {
    limits.demand(
        PER_ADDRESS, IpAddress.network(origin.address()), "Too many emails were requested.");
    if (limits.take(PER_MAILBOX, email.mailbox()).granted()) {
      outbox.add(
          OutboxEntry.of(
              "mail_" + recorder.nextHex(),
              AccountEmails.FORGOTTEN,
              email.value(),
              recorder.now()));
      trigger.run();
    }
  }
}
