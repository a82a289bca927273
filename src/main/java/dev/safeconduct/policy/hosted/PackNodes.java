package dev.safeconduct.policy.hosted;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.policy.PolicyId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Which processes serve, and which version of each pack they judge by. */
public interface PackNodes {
  /** A node that judges by the version with the digest from now on; by none when it is empty. */
  record Use(OrgId org, PolicyId id, String digest) {}

  /**
   * A living node and what it judges by.
   *
   * @param digest empty when it has not looked at the pack yet, or can judge by none
   * @param since since when it judges by that digest
   * @param seenAt when the node was last known to live
   */
  record ActiveOn(
      PolicyId id, String node, Optional<String> digest, Optional<Instant> since, Instant seenAt) {}

  /** Says that the node lives; begins its row when it has none. */
  void alive(String node, Instant startedAt, Instant now);

  /** Says that the node has stopped as it should. */
  void stopped(String node, Instant now);

  /** Notes what the node judges by. */
  void uses(String node, List<Use> uses, Instant now);

  /** What every node that was seen since then judges by, for each of the packs. */
  List<ActiveOn> activeOn(OrgId org, List<PolicyId> packs, Instant seenSince);

  /** A process that has not said that it stopped. */
  record Node(String id, Instant startedAt, Instant seenAt) {}

  /** The nodes that were seen since then and have not stopped as they should, the oldest first. */
  List<Node> seen(Instant since);

  /** Forgets nodes that were last seen before then, with what they used. */
  void forget(Instant seenBefore);
}
