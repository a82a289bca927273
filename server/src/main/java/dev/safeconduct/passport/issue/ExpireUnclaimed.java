package dev.safeconduct.passport.issue;

import dev.safeconduct.db.PeriodicTask;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Revokes passports that were issued without an account and that nobody claims in time. The named
 * human, if there is one, gets an email with a new link first. Each node looks; what one has done,
 * others find done.
 */
public final class ExpireUnclaimed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExpireUnclaimed.class);

  private static final Origin ORIGIN = new Origin(new Caller.Admin(), "", "unclaimed");
  private static final Duration EVERY = Duration.ofMinutes(10);
  private static final int PAGE = 100;

  /** The time between the email and the end: as long as the link in it works. */
  private static final Duration NOTICE = ClaimLinks.LIFE;

  private final Claims claims;
  private final RevokeUnclaimed revoke;
  private final Recorder recorder;
  private final Runnable mailWaits;
  private final Duration life;
  private final PeriodicTask task =
      new PeriodicTask(
          LOG, "unclaimed", EVERY, this::step, 0, "unclaimed passports cannot be looked for now");

  /**
   * @param days how long a passport may be unclaimed; 0 for ever
   * @param mailWaits is told that there are emails to send
   */
  public ExpireUnclaimed(
      Claims claims, RevokeUnclaimed revoke, Recorder recorder, Runnable mailWaits, int days) {
    this.claims = claims;
    this.revoke = revoke;
    this.recorder = recorder;
    this.mailWaits = mailWaits;
    this.life = Duration.ofDays(days);
  }

  /** Begins to look, unless passports may be unclaimed for ever. */
  public void start() {
    if (!life.isZero()) {
      task.start();
    }
  }

  private boolean step() {
    look();
    return true;
  }

  /** Looks once: warns, and revokes what was warned of long enough ago. */
  void look() {
    Instant now = recorder.now();
    String reason = "Nobody claimed it within " + life.toDays() + " days.";
    Optional<Claim> last = Optional.empty();
    List<Claim> page;
    do {
      page = claims.unclaimed(now.minus(life).plus(NOTICE), last, PAGE);
      for (Claim claim : page) {
        if (claim.warnedAt().isEmpty() && !claim.namesNobody()) {
          warn(claim, now);
        } else if (!now.isBefore(claim.createdAt().plus(life))
            && claim.warnedAt().filter(warned -> now.isBefore(warned.plus(NOTICE))).isEmpty()) {
          boolean _ = revoke.run(ORIGIN, claim, reason);
        }
        last = Optional.of(claim);
      }
    } while (page.size() == PAGE && !task.isClosing());
  }

  private void warn(Claim claim, Instant now) {
    var email = OutboxEntry.of("mail_" + recorder.nextHex(), ClaimEmails.ENDING, claim.id(), now);
    if (claims.warn(claim, now, email)) {
      mailWaits.run();
    }
  }

  @Override
  public void close() {
    task.close();
  }
}
