package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.ErasedStubs;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.retention.Erased;
import dev.safeconduct.retention.Erasures;
import dev.safeconduct.retention.Retention;
import dev.safeconduct.tally.Tallies;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Blanks the contents of rows, the salt with them; place, id, kind, owner and time stay.
 *
 * @param writeOver see {@link Database#writeOver}
 */
record SqlErasures(Writer writer, Reads reads, Optional<String> writeOver) implements Erasures {
  private static final String ROWS =
      "SELECT log_index, record_id, kind, org, at_ms, length(salt), commitment, agent FROM audit";
  private static final String MAY_GO = "length(salt) > 0 AND kind NOT IN ('erasure', 'config')";
  private static final String BLANK =
      "UPDATE audit SET agent = NULL, policy = NULL, allow = NULL, code = NULL, body = ?,"
          + " signature = ?, details = ?, salt = ? WHERE log_index = ?";
  private static final String SETTINGS = "SELECT org, days, updated_at FROM retention";

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Row(
      long logIndex,
      UUID id,
      String kind,
      String org,
      long atMs,
      boolean hasSalt,
      byte[] entry,
      Optional<String> agent) {
    boolean mayGo() {
      return hasSalt && !kind.equals("erasure") && !kind.equals("config");
    }
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        row.getLong(1),
        AuditRows.uuid(row.getBytes(2)),
        row.getString(3),
        row.getString(4),
        row.getLong(5),
        row.getInt(6) > 0,
        row.getBytes(7),
        Optional.ofNullable(row.getString(8)));
  }

  @Override
  public Optional<Erased> erase(
      OrgId org, Selection selection, int limit, Function<Erased, AuditRecord> entry) {
    Tenant tenant = new Tenant.One(org);
    Where where =
        switch (selection) {
          case Selection.One(UUID id) ->
              Where.of(tenant, "org").and("record_id = ?", AuditRows.bytes(id));
          case Selection.Matching matching -> SqlAuditLog.narrowed(tenant, matching.filter());
        };
    where.and(MAY_GO);
    return writer.change(connection -> {
      List<Row> rows =
          Sql.list(
              connection,
              ROWS + where.sql() + " ORDER BY log_index LIMIT ?",
              SqlErasures::row,
              where.parameters(limit));
      if (rows.isEmpty()) {
        return Effect.none(Optional.empty());
      }
      Erased erased = blank(connection, rows);
      return Effect.of(Optional.of(erased), entry.apply(erased));
    });
  }

  private Erased blank(Connection connection, List<Row> rows) throws SQLException {
    if (writeOver.isPresent()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(writeOver.get());
      }
    }
    var stubs = new ErasedStubs();
    var ranges = new ArrayList<Erased.Range>();
    try (PreparedStatement update = connection.prepareStatement(BLANK)) {
      for (Row row : rows) {
        for (int column = 1; column <= 4; column++) {
          update.setBytes(column, new byte[0]);
        }
        update.setLong(5, row.logIndex());
        update.addBatch();
        stubs.add(
            row.logIndex(), row.id().toString(), row.kind(), row.org(), row.atMs(), row.entry());
        Erased.Range last = ranges.isEmpty() ? null : ranges.getLast();
        if (last != null && last.last() == row.logIndex() - 1) {
          ranges.removeLast();
          ranges.add(new Erased.Range(last.first(), row.logIndex()));
        } else {
          ranges.add(new Erased.Range(row.logIndex(), row.logIndex()));
        }
      }
      update.executeBatch();
    }
    forgetWhere(connection, rows);
    return new Erased(ranges, rows.size(), stubs.digest());
  }

  /** That the agents were there is forgotten too, where nothing else of theirs is. */
  private static void forgetWhere(Connection connection, List<Row> rows) throws SQLException {
    var gone = new LinkedHashSet<List<Object>>();
    for (Row row : rows) {
      if (row.agent().isPresent()) {
        gone.add(List.of(row.org(), row.agent().get(), row.logIndex() / Tallies.PART));
      }
    }
    for (List<Object> each : gone) {
      LogParts.forget(connection, (String) each.get(0), (String) each.get(1), (Long) each.get(2));
    }
  }

  @Override
  public List<Retention> all() {
    return reads.list(SETTINGS + " ORDER BY org", SqlErasures::setting, List.of());
  }

  @Override
  public Optional<Retention> find(OrgId org) {
    return reads.first(SETTINGS + " WHERE org = ?", SqlErasures::setting, org.value());
  }

  private static Retention setting(ResultSet row) throws SQLException {
    return new Retention(
        new OrgId(row.getString("org")),
        Sql.whole(row, "days").map(Long::intValue),
        Instant.ofEpochMilli(row.getLong("updated_at")));
  }

  @Override
  public Retention set(Retention retention, Function<Optional<Retention>, AuditRecord> entry) {
    return writer.change(connection -> {
      Optional<Retention> before = setting(connection, retention.org());
      if (before.isPresent() && before.get().days().equals(retention.days())) {
        return Effect.none(before.get());
      }
      Sql.update(
          connection,
          "INSERT INTO retention (org, days, updated_at, examined) VALUES (?, ?, ?, -1)"
              + " ON CONFLICT (org) DO UPDATE SET days = excluded.days,"
              + " updated_at = excluded.updated_at",
          retention.org().value(),
          retention.days().map(Integer::longValue).orElse(null),
          retention.updatedAt().toEpochMilli());
      return Effect.of(retention, entry.apply(before));
    });
  }

  private static Optional<Retention> setting(Connection connection, OrgId org) throws SQLException {
    return Sql.list(
            connection, SETTINGS + " WHERE org = ?", SqlErasures::setting, List.of(org.value()))
        .stream()
        .findFirst();
  }

  @Override
  public boolean step(OrgId org, Instant now, int limit, Function<Erased, AuditRecord> entry) {
    List<Row> ahead = due(org, now, limit);
    if (ahead.isEmpty()) {
      return false; // found out beside the writer, which has other things to do
    }
    return writer.change(connection -> {
      Optional<Integer> days = setting(connection, org).flatMap(Retention::days);
      if (days.isEmpty()) {
        return Effect.none(false);
      }
      List<Row> rows =
          Sql.list(
              connection,
              ROWS + " WHERE org = ? AND log_index > " + EXAMINED + " ORDER BY log_index LIMIT ?",
              SqlErasures::row,
              List.of(org.value(), org.value(), limit));
      List<Row> old = older(rows, now, days.get());
      if (old.isEmpty()) {
        return Effect.none(false);
      }
      Sql.update(
          connection,
          "UPDATE retention SET examined = ? WHERE org = ?",
          old.getLast().logIndex(),
          org.value());
      List<Row> going = old.stream().filter(Row::mayGo).toList();
      boolean more = old.size() == limit;
      return going.isEmpty()
          ? Effect.none(more)
          : Effect.of(more, entry.apply(blank(connection, going)));
    });
  }

  private static final String EXAMINED = "(SELECT examined FROM retention WHERE org = ?)";

  private List<Row> due(OrgId org, Instant now, int limit) {
    Optional<Integer> days = find(org).flatMap(Retention::days);
    return days.isEmpty()
        ? List.of()
        : older(
            reads.list(
                ROWS + " WHERE org = ? AND log_index > " + EXAMINED + " ORDER BY log_index LIMIT ?",
                SqlErasures::row,
                List.of(org.value(), org.value(), limit)),
            now,
            days.get());
  }

  /** Those before the first that is not old enough. */
  private static List<Row> older(List<Row> rows, Instant now, int days) {
    long cutoff = now.minus(Duration.ofDays(days)).toEpochMilli();
    int count = 0;
    while (count < rows.size() && rows.get(count).atMs() < cutoff) {
      count++;
    }
    return rows.subList(0, count);
  }
}
