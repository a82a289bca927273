package dev.safeconduct.console;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.tally.Tallies;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** Tells from the counts what agents have been doing: since the full hour before this one. */
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

  OfAgent ofAgent(String org, String agentId) {
    Instant now = clock.instant();
    long since = Tallies.Kind.HOUR.bucket(now.minus(Duration.ofHours(1)).toEpochMilli());
    Tallies.Counts counts = tallies.sum(new OrgId(org), Tallies.Kind.AGENT, agentId, since);
    return new OfAgent(
        counts.allowed(),
        counts.denied(),
        Math.max(1, (now.toEpochMilli() - since) / 60_000),
        IsoInstant.seconds(Instant.ofEpochMilli(since)).substring(11, 16) + " UTC");
  }
}
