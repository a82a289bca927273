package dev.safeconduct.store;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.shadow.Tally;
import dev.safeconduct.shadow.Trials;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What trials have found, as rows. */
record SqlTrials(Writer writer, Reads reads) implements Trials {
  private static final long MOST_KEPT = 10_000;
  private static final String COUNTS =
      "evaluated, would_deny, would_allow, other_reason, failed, dropped";

  @Override
  public void add(String node, Map<Subject, Result> results) {
    writer.change(connection -> {
      for (Map.Entry<Subject, Result> result : results.entrySet()) {
        count(connection, node, result.getKey(), result.getValue().tally());
        if (!result.getValue().differences().isEmpty()) {
          keep(connection, result.getKey(), result.getValue().differences());
        }
      }
      return Effect.none(true);
    });
  }

  private static void count(Connection connection, String node, Subject subject, Tally tally)
      throws SQLException {
    Sql.update(
        connection,
        "INSERT INTO shadow_tally (org, policy_id, version, node, "
            + COUNTS
            + ", unfinished) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)"
            + " ON CONFLICT (org, policy_id, version, node) DO UPDATE SET"
            + " evaluated = shadow_tally.evaluated + excluded.evaluated,"
            + " would_deny = shadow_tally.would_deny + excluded.would_deny,"
            + " would_allow = shadow_tally.would_allow + excluded.would_allow,"
            + " other_reason = shadow_tally.other_reason + excluded.other_reason,"
            + " failed = shadow_tally.failed + excluded.failed,"
            + " dropped = shadow_tally.dropped + excluded.dropped,"
            + " unfinished = 1",
        subject.org().value(),
        subject.policyId(),
        subject.version(),
        node,
        tally.evaluated(),
        tally.wouldDeny(),
        tally.wouldAllow(),
        tally.otherReason(),
        tally.failed(),
        tally.dropped());
  }

  private static void keep(Connection connection, Subject subject, List<JsonObject> differences)
      throws SQLException {
    long place =
        Sql.list(
                connection,
                "SELECT coalesce(max(place), 0) FROM shadow_difference"
                    + " WHERE org = ? AND policy_id = ?",
                row -> row.getLong(1),
                List.of(subject.org().value(), subject.policyId()))
            .getFirst();
    for (JsonObject difference : differences) {
      place++;
      Sql.update(
          connection,
          "INSERT INTO shadow_difference (org, policy_id, place, version, body)"
              + " VALUES (?, ?, ?, ?, ?)",
          subject.org().value(),
          subject.policyId(),
          place,
          subject.version(),
          Json.text(difference));
    }
    Sql.update(
        connection,
        "DELETE FROM shadow_difference WHERE org = ? AND policy_id = ? AND place <= ?",
        subject.org().value(),
        subject.policyId(),
        place - MOST_KEPT);
  }

  @Override
  public void finished(String node) {
    writer.change(connection -> {
      Sql.update(connection, "UPDATE shadow_tally SET unfinished = 0 WHERE node = ?", node);
      return Effect.none(true);
    });
  }

  @Override
  public Optional<Integer> latest(OrgId org, PolicyId id) {
    var where = Where.of(new Tenant.One(org), "org").and("policy_id = ?", id.value());
    return reads
        .list(
            "SELECT version FROM shadow_tally" + where.sql() + " ORDER BY version DESC LIMIT 1",
            row -> row.getInt(1),
            where.parameters())
        .stream()
        .findFirst();
  }

  @Override
  public Found found(Subject subject, Instant aliveSince) {
    var where = of(subject);
    Tally tally =
        reads
            .list(
                "SELECT " + COUNTS + " FROM shadow_tally" + where.sql(),
                SqlTrials::tally,
                where.parameters())
            .stream()
            .reduce(Tally.ZERO, Tally::plus);
    long kept =
        reads
            .list(
                "SELECT count(*) FROM shadow_difference" + where.sql(),
                row -> row.getLong(1),
                where.parameters())
            .getFirst();
    var open =
        of(subject)
            .and("unfinished = 1")
            .and(
                "NOT EXISTS (SELECT 1 FROM node WHERE node.id = shadow_tally.node"
                    + " AND node.seen_at >= ?)",
                aliveSince.toEpochMilli());
    long interrupted =
        reads
            .list(
                "SELECT count(*) FROM shadow_tally" + open.sql(),
                row -> row.getLong(1),
                open.parameters())
            .getFirst();
    return new Found(tally, kept, interrupted);
  }

  @Override
  public List<Kept> differences(Subject subject, long before, int limit) {
    var where = of(subject).and("place < ?", before);
    return reads.list(
        "SELECT place, body FROM shadow_difference" + where.sql() + " ORDER BY place DESC LIMIT ?",
        row -> new Kept(row.getLong(1), body(row.getString(2))),
        where.parameters(limit));
  }

  private static Where of(Subject subject) {
    return Where.of(new Tenant.One(subject.org()), "org")
        .and("policy_id = ?", subject.policyId())
        .and("version = ?", subject.version());
  }

  private static Tally tally(ResultSet row) throws SQLException {
    return new Tally(
        row.getLong(1),
        row.getLong(2),
        row.getLong(3),
        row.getLong(4),
        row.getLong(5),
        row.getLong(6));
  }

  private static JsonObject body(String text) throws SQLException {
    try {
      return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new SQLException("a stored difference cannot be read", e);
    }
  }
}
