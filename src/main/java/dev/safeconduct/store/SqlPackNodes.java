package dev.safeconduct.store;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.hosted.PackNodes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The nodes and what they judge by, as rows. */
record SqlPackNodes(Writer writer, Reads reads) implements PackNodes {
  @Override
  public void alive(String node, Instant startedAt, Instant now) {
    writer.change(connection -> {
      Sql.update(
          connection,
          "INSERT INTO node (id, started_at, seen_at) VALUES (?, ?, ?)"
              + " ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at",
          node,
          startedAt.toEpochMilli(),
          now.toEpochMilli());
      return Effect.none(true);
    });
  }

  @Override
  public void stopped(String node, Instant now) {
    writer.change(connection -> {
      Sql.update(
          connection,
          "UPDATE node SET seen_at = ?, stopped_at = ? WHERE id = ?",
          now.toEpochMilli(),
          now.toEpochMilli(),
          node);
      return Effect.none(true);
    });
  }

  @Override
  public void uses(String node, List<Use> uses, Instant now) {
    writer.change(connection -> {
      for (Use use : uses) {
        Sql.update(
            connection,
            "INSERT INTO node_pack (org, policy_id, node, digest, since) VALUES (?, ?, ?, ?, ?)"
                + " ON CONFLICT (org, policy_id, node) DO UPDATE"
                + " SET digest = excluded.digest, since = excluded.since",
            use.org().value(),
            use.id().value(),
            node,
            use.digest(),
            now.toEpochMilli());
      }
      return Effect.none(true);
    });
  }

  @Override
  public List<ActiveOn> activeOn(OrgId org, List<PolicyId> packs, Instant seenSince) {
    var all = new ArrayList<ActiveOn>();
    for (PolicyId id : packs) {
      all.addAll(
          reads.list(
              "SELECT n.id, n.seen_at, u.digest, u.since FROM node n"
                  + " LEFT JOIN node_pack u ON u.node = n.id AND u.org = ? AND u.policy_id = ?"
                  + " WHERE n.stopped_at IS NULL AND n.seen_at >= ? ORDER BY n.started_at, n.id",
              row ->
                  new ActiveOn(
                      id,
                      row.getString("id"),
                      Optional.ofNullable(row.getString("digest"))
                          .filter(digest -> !digest.isEmpty()),
                      Sql.instant(row, "since"),
                      Instant.ofEpochMilli(row.getLong("seen_at"))),
              List.of(org.value(), id.value(), seenSince.toEpochMilli())));
    }
    return all;
  }

  @Override
  public List<Node> seen(Instant since) {
    return reads.list(
        "SELECT id, started_at, seen_at FROM node WHERE stopped_at IS NULL AND seen_at >= ?"
            + " ORDER BY started_at, id",
        row ->
            new Node(
                row.getString("id"),
                Instant.ofEpochMilli(row.getLong("started_at")),
                Instant.ofEpochMilli(row.getLong("seen_at"))),
        List.of(since.toEpochMilli()));
  }

  @Override
  public void forget(Instant seenBefore) {
    writer.change(connection -> {
      if (Sql.update(connection, "DELETE FROM node WHERE seen_at < ?", seenBefore.toEpochMilli())
          > 0) {
        Sql.update(connection, "DELETE FROM node_pack WHERE node NOT IN (SELECT id FROM node)");
      }
      return Effect.none(true);
    });
  }
}
