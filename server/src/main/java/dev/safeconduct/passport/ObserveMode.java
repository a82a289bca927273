package dev.safeconduct.passport;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Until when decisions about an agent, or about all of an organization, are answered as an allow
 * though the policy denies. What stays denied is in {@link dev.safeconduct.decision.ObserveRules}.
 *
 * @param agent the agent; empty for every agent of the organization
 * @param until exclusive; from then on decisions are enforced
 * @param money whether packs that move money or export data are observed too
 * @param reason why, in the words of who set it
 * @param by who set it, as audit records name a caller
 * @param since when it began; renewing it does not change that
 * @param used how long earlier ones lasted that count, too
 */
public record ObserveMode(
    OrgId org,
    Optional<AgentId> agent,
    Instant until,
    boolean money,
    String reason,
    String by,
    Instant since,
    Duration used) {
  /**
   * How long observe mode lasts at most. Modes of one agent that follow each other sooner than this
   * count as one.
   */
  public static final Duration MOST = Duration.ofDays(30);

  public boolean applies(Instant now) {
    return now.isBefore(until);
  }

  /** Returns when it must end. */
  Instant latest() {
    return since.plus(MOST).minus(used);
  }

  /** Returns when it ends if it is ended at that time, by a clock that may be behind. */
  Instant endAt(Instant now) {
    Instant end = now.isBefore(until) ? now : until;
    return end.isBefore(since) ? since : end;
  }

  /** Returns the same mode in place of an earlier one, whose time counts. */
  ObserveMode after(ObserveMode earlier) {
    if (earlier.applies(since)) {
      return counting(earlier.since, earlier.used);
    }
    return since.isBefore(earlier.until.plus(MOST))
        ? counting(
            since, earlier.used.plus(Duration.between(earlier.since, earlier.endAt(earlier.until))))
        : this;
  }

  private ObserveMode counting(Instant first, Duration before) {
    return new ObserveMode(org, agent, until, money, reason, by, first, before);
  }
}
