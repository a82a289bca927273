package dev.safeconduct.console;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.tally.Tallies;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** Tells from the counts what agents have been doing: since this full hour, or the one before. */
final class RecentActivity {
  private static final Duration YOUNG = Duration.ofMinutes(10);

  private final Tallies tallies;
  private final InstantSource clock;

  RecentActivity(Tallies tallies, InstantSource clock) {
    this.tallies = tallies;
    this.clock = clock;
  }

  /**
   * An agent's decisions.
   *
   * @param minutes how far back they are counted
   * @param since from when, for people
   */
  record OfAgent(long allowed, long denied, long minutes, String since) {
    long total() {
      return allowed + denied;
    }
  }

  /** From when "lately" is: this hour, or the one before while this one is young. */
  static long since(Instant now) {
    return Tallies.Kind.HOUR.bucket(now.minus(YOUNG).toEpochMilli());
  }

  OfAgent ofAgent(String org, String agentId) {
    Instant now = clock.instant();
    long since = since(now);
    Tallies.Counts counts = tallies.sum(new OrgId(org), Tallies.Kind.AGENT, agentId, since, 2);
    return new OfAgent(
        counts.allowed(),
        counts.denied(),
        Math.max(1, (now.toEpochMilli() - since) / 60_000),
        IsoInstant.seconds(Instant.ofEpochMilli(since)).substring(11, 16) + " UTC");
  }
}
