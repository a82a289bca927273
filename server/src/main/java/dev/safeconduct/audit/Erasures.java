package dev.safeconduct.audit;

import dev.safeconduct.access.Directory;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
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
 * Erases contents of records, in one transaction with the record of the erasure. It blanks their
 * rows including the salt; position, id, kind, owner and time remain. Records of erasures and of
 * settings are never erased, because the verification of the rest depends on them.
 */
public final class Erasures {
  private static final String ROWS =
      """
      SELECT log_index, record_id, kind, org, at_ms, length(salt) AS salt_bytes, commitment, agent
        FROM audit
      """;

  private static final String MAY_GO = "length(salt) > 0 AND kind NOT IN ('erasure', 'config')";

  private static final String NOT_EXAMINED =
      ROWS
          + """
          WHERE org = :org AND log_index > (SELECT examined FROM retention WHERE org = :org)
          ORDER BY log_index
          LIMIT :limit
          """;

  private static final String BLANK =
      """
      UPDATE audit
         SET agent = NULL, policy = NULL, allow = NULL, code = NULL,
             body = ?, signature = ?, details = ?, salt = ?
       WHERE log_index = ?
      """;

  private static final String SETTINGS = "SELECT org, days, updated_at FROM retention";

  private static final String SET =
      """
      INSERT INTO retention (org, days, updated_at, examined)
      VALUES (:org, :days, :updated, -1)
          ON CONFLICT (org) DO UPDATE SET days = excluded.days, updated_at = excluded.updated_at
      """;

  private final Storage storage;

  public Erasures(Storage storage) {
    this.storage = storage;
  }

  /** The selection of records to erase. */
  public sealed interface Selection {
    /** A single record. */
    record One(UUID id) implements Selection {}

    /** All records that match. */
    record Matching(AuditFilter filter) implements Selection {}
  }

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
        row.getLong("log_index"),
        Rows.uuid(row, "record_id"),
        row.getString("kind"),
        row.getString("org"),
        row.getLong("at_ms"),
        row.getInt("salt_bytes") > 0,
        row.getBytes("commitment"),
        Rows.text(row, "agent"));
  }

  /**
   * Erases the oldest matching records of the organization, {@code limit} at most.
   *
   * @param entry creates the record of the erasure; not called when there was nothing to erase
   */
  public Optional<Erased> erase(
      OrgId org, Selection selection, int limit, Function<Erased, AuditRecord> entry) {
    Where where =
        switch (selection) {
          case Selection.One(UUID id) -> Where.of(org, "org").and("record_id = :id", id);
          case Selection.Matching(AuditFilter filter) ->
              AuditLog.narrowed(new Tenant.One(org), filter);
        };
    where.and(MAY_GO);
    return storage.change(connection -> {
      List<Row> rows =
          Sql.of(ROWS, where, "ORDER BY log_index LIMIT :limit", limit)
              .list(connection, Erasures::row);
      if (rows.isEmpty()) {
        return MutationResult.none(Optional.empty());
      }
      Erased erased = blank(connection, rows);
      return MutationResult.of(Optional.of(erased), entry.apply(erased));
    });
  }

  private Erased blank(Connection connection, List<Row> rows) throws SQLException {
    Optional<String> writeOver = storage.database().writeOver();
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

  /** Removes the agents from the index of parts where none of their other records remains. */
  private static void forgetWhere(Connection connection, List<Row> rows) throws SQLException {
    var gone = new LinkedHashSet<List<Object>>();
    for (Row row : rows) {
      if (row.agent().isPresent()) {
        gone.add(List.of(row.org(), row.agent().get(), row.logIndex() / LogParts.PART));
      }
    }
    for (List<Object> each : gone) {
      LogParts.forget(connection, (String) each.get(0), (String) each.get(1), (Long) each.get(2));
    }
  }

  /** Returns every organization that has a retention setting. */
  public List<Retention> all() {
    return storage.list(SETTINGS + " ORDER BY org", Erasures::setting);
  }

  public Optional<Retention> find(OrgId org) {
    return storage.first(SETTINGS + " WHERE org = :org", Erasures::setting, org);
  }

  private static Retention setting(ResultSet row) throws SQLException {
    return new Retention(
        new OrgId(row.getString("org")),
        Rows.number(row, "days").map(Long::intValue),
        Rows.time(row, "updated_at"));
  }

  /** Stores the setting; the record is created from the previous one. */
  public Retention set(Retention retention, Function<Optional<Retention>, AuditRecord> entry) {
    return storage.change(connection -> {
      Directory.demand(connection, retention.org());
      Optional<Retention> before = setting(connection, retention.org());
      if (before.isPresent() && before.get().days().equals(retention.days())) {
        return MutationResult.none(before.get());
      }
      Sql.of(SET, retention.org(), retention.days(), retention.updatedAt()).update(connection);
      return MutationResult.of(retention, entry.apply(before));
    });
  }

  /** Returns the change of a setting that has {@code seen} days, to commit it with others. */
  static Mutation<Boolean> setting(Retention retention, Optional<Integer> seen, AuditRecord entry) {
    return connection -> {
      Directory.demand(connection, retention.org());
      if (!setting(connection, retention.org()).flatMap(Retention::days).equals(seen)) {
        return MutationResult.none(false);
      }
      Sql.of(SET, retention.org(), retention.days(), retention.updatedAt()).update(connection);
      return MutationResult.of(true, entry);
    };
  }

  /**
   * Has all records of an organization that is deleted erased, as if its retention were no time at
   * all. This begins with the next step along its records, and again at the first of them.
   */
  public static void eraseAll(Connection connection, OrgId org, Instant now) throws SQLException {
    Sql.of(SET, org, 0, now).update(connection);
    Sql.of("UPDATE retention SET examined = -1 WHERE org = :org", org).update(connection);
  }

  private static Optional<Retention> setting(Connection connection, OrgId org) throws SQLException {
    return Sql.of(SETTINGS + " WHERE org = :org", org).first(connection, Erasures::setting);
  }

  /**
   * Runs one step along the organization's records, erasing those older than its retention at
   * {@code now}.
   *
   * @param entry creates the record of the erasure, if anything was erased
   * @return whether there may be more to do
   */
  public boolean step(OrgId org, Instant now, int limit, Function<Erased, AuditRecord> entry) {
    List<Row> ahead = due(org, now, limit);
    if (ahead.isEmpty()) {
      return false; // checked outside the writer to save its time
    }
    return storage.change(connection -> {
      Optional<Integer> days = setting(connection, org).flatMap(Retention::days);
      if (days.isEmpty()) {
        return MutationResult.none(false);
      }
      List<Row> rows = Sql.of(NOT_EXAMINED, org, limit).list(connection, Erasures::row);
      List<Row> old = older(rows, now, days.get());
      if (old.isEmpty()) {
        return MutationResult.none(false);
      }
      Sql.of(
              "UPDATE retention SET examined = :examined WHERE org = :org",
              old.getLast().logIndex(),
              org)
          .update(connection);
      List<Row> going = old.stream().filter(Row::mayGo).toList();
      boolean more = old.size() == limit;
      return going.isEmpty()
          ? MutationResult.none(more)
          : MutationResult.of(more, entry.apply(blank(connection, going)));
    });
  }

  private List<Row> due(OrgId org, Instant now, int limit) {
    Optional<Integer> days = find(org).flatMap(Retention::days);
    return days.isEmpty()
        ? List.of()
        : older(storage.list(NOT_EXAMINED, Erasures::row, org, limit), now, days.get());
  }

  /** Returns the records before the first that is not old enough. */
  private static List<Row> older(List<Row> rows, Instant now, int days) {
    long cutoff = now.minus(Duration.ofDays(days)).toEpochMilli();
    int count = 0;
    while (count < rows.size() && rows.get(count).atMs() < cutoff) {
      count++;
    }
    return rows.subList(0, count);
  }
}
