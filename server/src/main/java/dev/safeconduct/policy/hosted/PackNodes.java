package dev.safeconduct.policy.hosted;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.policy.PolicyId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Stores the running processes and the version of each pack that they evaluate. */
public final class PackNodes {
  private static final String ALIVE =
      """
      INSERT INTO node (id, started_at, seen_at)
      VALUES (:node, :started, :now)
          ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
      """;

  /** A node may notice an organization's last change after the organization is deleted. */
  private static final String USES =
      """
      INSERT INTO node_pack (org, policy_id, node, digest, since)
      SELECT id, :policy, :node, :digest, :now FROM organization WHERE id = :org
          ON CONFLICT (org, policy_id, node)
          DO UPDATE SET digest = excluded.digest, since = excluded.since
      """;

  private static final String ACTIVE_ON =
      """
      SELECT n.id, n.seen_at, u.digest, u.since
        FROM node n
        LEFT JOIN node_pack u ON u.node = n.id AND u.org = :org AND u.policy_id = :policy
       WHERE n.stopped_at IS NULL AND n.seen_at >= :since
       ORDER BY n.started_at, n.id
      """;

  private static final String SEEN =
      """
      SELECT id, seen_at FROM node
       WHERE stopped_at IS NULL AND seen_at >= :since
       ORDER BY started_at, id
      """;

  private final Storage storage;

  public PackNodes(Storage storage) {
    this.storage = storage;
  }

  /**
   * The version, by digest, that a node evaluates from now on; the digest is empty for no version.
   */
  public record Use(OrgId org, PolicyId id, String digest) {}

  /**
   * A live node and the version it evaluates.
   *
   * @param digest empty if the node has not read the pack yet, or has no usable version
   * @param since since when the node evaluates that digest
   * @param seenAt when the node last reported that it is alive
   */
  public record ActiveOn(
      PolicyId id, String node, Optional<String> digest, Optional<Instant> since, Instant seenAt) {}

  /** A process that has not reported that it stopped. */
  public record Node(String id, Instant seenAt) {}

  /** Records that the node is alive; inserts its row if there is none. */
  public void alive(String node, Instant startedAt, Instant now) {
    storage.update(Sql.of(ALIVE, node, startedAt, now));
  }

  /** Records that the node has shut down normally. */
  public void stopped(String node, Instant now) {
    storage.update(
        Sql.of("UPDATE node SET seen_at = :now, stopped_at = :now WHERE id = :node", now, node));
  }

  /** Records the versions the node evaluates. */
  public void uses(String node, List<Use> uses, Instant now) {
    storage.change(connection -> {
      for (Use use : uses) {
        Sql.of(USES, use.id().value(), node, use.digest(), now, use.org()).update(connection);
      }
      return MutationResult.none(true);
    });
  }

  /** Returns, for each of the packs, the versions evaluated by nodes that were seen since then. */
  public List<ActiveOn> activeOn(OrgId org, List<PolicyId> packs, Instant seenSince) {
    var all = new ArrayList<ActiveOn>();
    for (PolicyId id : packs) {
      all.addAll(
          storage.list(
              ACTIVE_ON,
              row ->
                  new ActiveOn(
                      id,
                      row.getString("id"),
                      Rows.text(row, "digest").filter(digest -> !digest.isEmpty()),
                      Rows.optionalTime(row, "since"),
                      Rows.time(row, "seen_at")),
              org,
              id.value(),
              seenSince));
    }
    return all;
  }

  /**
   * Returns the nodes that were seen since then and have not shut down normally, the oldest first.
   */
  public List<Node> seen(Instant since) {
    return storage.list(
        SEEN, row -> new Node(row.getString("id"), Rows.time(row, "seen_at")), since);
  }

  /** Deletes nodes that were last seen before then, with the versions they used. */
  public void forget(Instant seenBefore) {
    storage.change(connection -> {
      if (Sql.of("DELETE FROM node WHERE seen_at < :before", seenBefore).update(connection) > 0) {
        Sql.of("DELETE FROM node_pack WHERE node NOT IN (SELECT id FROM node)").update(connection);
      }
      return MutationResult.none(true);
    });
  }
}
