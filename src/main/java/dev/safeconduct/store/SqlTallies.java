package dev.safeconduct.store;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.tally.Tallies;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts as rows.
 *
 * @param records what {@link #records} reads, see {@link #selecting}
 */
record SqlTallies(Writer writer, Reads reads, String records) implements Tallies {
  SqlTallies(Writer writer, Database database) {
    this(writer, database.reads(), selecting(database));
  }

  /**
   * The database puts together what is alike: most records are, and so few leave it. In canonical
   * JSON a quote inside a text is escaped, so what is looked for stands only as a member; nearly
   * every decision has the first of the two, and near its beginning.
   */
  private static String selecting(Database database) {
    return "SELECT log_index / "
        + PART
        + " AS part, org, kind, at_ms / 60000 AS minute, agent, policy, allow, code,"
        + " CASE WHEN kind <> 'decision' THEN 0 WHEN "
        + database.place("\"dry_run\":false", "body")
        + " > 0 THEN 0 WHEN "
        + database.place("\"dry_run\":true", "body")
        + " > 0 THEN 1 ELSE 0 END AS dry_run, count(*) AS number FROM audit"
        + " WHERE log_index >= ? AND log_index < ?"
        + " GROUP BY part, org, kind, minute, agent, policy, allow, code, dry_run";
  }

  @Override
  public long next() {
    return reads
        .first("SELECT next_index FROM tally_progress WHERE id = 1", row -> row.getLong(1))
        .orElse(0L);
  }

  @Override
  public long end() {
    return reads
        .first("SELECT coalesce(max(log_index) + 1, 0) FROM audit", row -> row.getLong(1))
        .orElse(0L);
  }

  @Override
  public List<Alike> records(long from, long to) {
    return reads.list(records, SqlTallies::alike, List.of(from, to));
  }

  private static Alike alike(ResultSet row) throws SQLException {
    return new Alike(
        row.getLong("part"),
        new OrgId(row.getString("org")),
        row.getString("kind"),
        60_000 * row.getLong("minute"),
        Optional.ofNullable(row.getString("agent")),
        Optional.ofNullable(row.getString("policy")),
        Sql.whole(row, "allow").map(allow -> allow == 1),
        Optional.ofNullable(row.getString("code")),
        row.getInt("dry_run") == 1,
        row.getLong("number"));
  }

  @Override
  public boolean add(long from, long to, Map<Key, Counts> counts, Set<Occurrence> occurrences) {
    return writer.change(connection -> {
      boolean first =
          Sql.update(
                  connection,
                  "UPDATE tally_progress SET next_index = ? WHERE id = 1 AND next_index = ?",
                  to,
                  from)
              == 1;
      if (first) {
        addCounts(connection, counts);
        LogParts.add(connection, occurrences);
      }
      return Effect.none(first);
    });
  }

  private static void addCounts(Connection connection, Map<Key, Counts> counts)
      throws SQLException {
    try (PreparedStatement add =
        connection.prepareStatement(
            "INSERT INTO tally (org, kind, bucket, name, allowed, denied)"
                + " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (org, kind, bucket, name) DO UPDATE"
                + " SET allowed = tally.allowed + excluded.allowed,"
                + " denied = tally.denied + excluded.denied")) {
      for (Map.Entry<Key, Counts> each : counts.entrySet()) {
        add.setString(1, each.getKey().org().value());
        add.setString(2, each.getKey().kind().wire());
        add.setLong(3, each.getKey().bucket());
        add.setString(4, Sql.text(each.getKey().name()));
        add.setLong(5, each.getValue().allowed());
        add.setLong(6, each.getValue().denied());
        add.addBatch();
      }
      add.executeBatch();
    }
  }

  @Override
  public void forget(OrgId org, Kind kind, long beforeMs) {
    writer.change(connection ->
        Effect.none(
            Sql.update(
                connection,
                "DELETE FROM tally WHERE org = ? AND kind = ? AND bucket < ?",
                org.value(),
                kind.wire(),
                beforeMs)));
  }

  @Override
  public Map<Long, Counts> buckets(OrgId org, Kind kind, long fromMs) {
    var buckets = new TreeMap<Long, Counts>();
    reads.list(
        "SELECT bucket, allowed, denied FROM tally"
            + " WHERE org = ? AND kind = ? AND bucket >= ? AND name = ''",
        row -> buckets.put(row.getLong(1), new Counts(row.getLong(2), row.getLong(3))),
        List.of(org.value(), kind.wire(), fromMs));
    return buckets;
  }

  @Override
  public Counts of(OrgId org, Kind kind, String name, long bucket) {
    return reads
        .first(
            "SELECT allowed, denied FROM tally"
                + " WHERE org = ? AND kind = ? AND bucket = ? AND name = ?",
            row -> new Counts(row.getLong(1), row.getLong(2)),
            org.value(),
            kind.wire(),
            bucket,
            name)
        .orElse(Counts.NONE);
  }

  @Override
  public Names names(OrgId org, Kind kind, long bucket) {
    return reads
        .first(
            "SELECT count(*), coalesce(sum(CASE WHEN denied > 0 THEN 1 ELSE 0 END), 0)"
                + " FROM tally WHERE org = ? AND kind = ? AND bucket = ?",
            row -> new Names(row.getLong(1), row.getLong(2)),
            org.value(),
            kind.wire(),
            bucket)
        .orElse(new Names(0, 0));
  }

  @Override
  public List<Named> top(OrgId org, Kind kind, long bucket, boolean denied, int limit) {
    return reads.list(
        "SELECT name, allowed, denied FROM tally WHERE org = ? AND kind = ? AND bucket = ?"
            + (denied ? " AND denied > 0 ORDER BY denied" : " ORDER BY allowed + denied")
            + " DESC, name LIMIT ?",
        row -> new Named(row.getString(1), new Counts(row.getLong(2), row.getLong(3))),
        List.of(org.value(), kind.wire(), bucket, limit));
  }
}
