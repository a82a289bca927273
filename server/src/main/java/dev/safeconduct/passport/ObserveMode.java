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
 */
public record ObserveMode(
    OrgId org,
    Optional<AgentId> agent,
    Instant until,
    boolean money,
    String reason,
    String by,
    Instant since) {
  /** How long observe mode lasts at most. */
  public static final Duration MOST = Duration.ofDays(30);

  /** Whether it applies at that time. */
  public boolean applies(Instant now) {
    return now.isBefore(until);
  }

  /** Returns the same mode, begun at another time. */
  ObserveMode since(Instant first) {
    return new ObserveMode(org, agent, until, money, reason, by, first);
  }
}
