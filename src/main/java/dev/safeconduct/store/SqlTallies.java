package dev.safeconduct.store;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.tally.Tallies;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Counts as rows. */
record SqlTallies(Writer writer, Reads reads) implements Tallies {
  private static final byte[] DRY_RUN = "\"dry_run\":".getBytes(StandardCharsets.US_ASCII);

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
  public List<Seen> records(long from, long to) {
    return reads.list(
        "SELECT log_index, org, kind, at_ms, agent, policy, allow, code,"
            + " CASE WHEN kind = 'decision' THEN body END AS body"
            + " FROM audit WHERE log_index >= ? AND log_index < ? ORDER BY log_index",
        SqlTallies::seen,
        List.of(from, to));
  }

  private static Seen seen(ResultSet row) throws SQLException {
    byte[] body = row.getBytes("body");
    return new Seen(
        row.getLong("log_index"),
        new OrgId(row.getString("org")),
        row.getString("kind"),
        row.getLong("at_ms"),
        Optional.ofNullable(row.getString("agent")),
        Optional.ofNullable(row.getString("policy")),
        Sql.whole(row, "allow").map(allow -> allow == 1),
        Optional.ofNullable(row.getString("code")),
        body != null && isDryRun(body));
  }

  /** In canonical JSON a quote inside a text is escaped, so this stands only as a member. */
  private static boolean isDryRun(byte[] body) {
    for (int i = 0; i < body.length - DRY_RUN.length; i++) {
      if (body[i] == '"' && startsThere(body, i)) {
        return body[i + DRY_RUN.length] == 't';
      }
    }
    return false;
  }

  private static boolean startsThere(byte[] body, int start) {
    return Arrays.equals(body, start, start + DRY_RUN.length, DRY_RUN, 0, DRY_RUN.length);
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
