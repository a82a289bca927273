package dev.safeconduct.console;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.tally.Tallies;
import java.time.Instant;
import java.time.InstantSource;

/** Tells from the counts what agents have been doing in the last half hour to an hour. */
final class RecentActivity {
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

  /** From when "lately" is, in milliseconds: the full or half hour before the last. */
  static long since(Instant now) {
    return Tallies.Kind.AGENT.lately(now.toEpochMilli());
  }

  OfAgent ofAgent(String org, String agentId) {
    Instant now = clock.instant();
    long since = since(now);
    Tallies.Counts counts = tallies.of(new OrgId(org), Tallies.Kind.AGENT, agentId, since);
    return new OfAgent(
        counts.allowed(),
        counts.denied(),
        Math.max(1, (now.toEpochMilli() - since) / 60_000),
        IsoInstant.seconds(Instant.ofEpochMilli(since)).substring(11, 16) + " UTC");
  }
}
