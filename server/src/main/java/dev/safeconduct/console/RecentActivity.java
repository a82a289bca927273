package dev.safeconduct.console;

import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import java.time.Instant;
import java.time.InstantSource;

/** Counts the decisions of agents in the last half hour to hour. */
public final class RecentActivity {
  private final DecisionCounts tallies;
  private final InstantSource clock;

  RecentActivity(DecisionCounts tallies, InstantSource clock) {
    this.tallies = tallies;
    this.clock = clock;
  }

  /**
   * An agent's decisions.
   *
   * @param minutes the length of the counted period
   * @param since the start of the counted period, for people
   */
  public record OfAgent(long allowed, long denied, long minutes, String since) {
    public long total() {
      return allowed + denied;
    }
  }

  /** The start of the counted period in milliseconds: the full or half hour before the last. */
  static long since(Instant now) {
    return DecisionCounts.Kind.AGENT.lately(now.toEpochMilli());
  }

  public OfAgent ofAgent(String org, String agentId) {
    Instant now = clock.instant();
    long since = since(now);
    DecisionCounts.Counts counts =
        tallies.of(new OrgId(org), DecisionCounts.Kind.AGENT, agentId, since);
    return new OfAgent(
        counts.allowed(),
        counts.denied(),
        Math.max(1, (now.toEpochMilli() - since) / 60_000),
        IsoInstant.seconds(Instant.ofEpochMilli(since)).substring(11, 16) + " UTC");
  }
}
