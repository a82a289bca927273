package dev.safeconduct.store;

import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.Session;
import dev.safeconduct.access.Sessions;
import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/** Sessions as rows, each read together with what its person is at present. */
record SqlSessions(Writer writer, Reads reads) implements Sessions {
  private static final String SELECT =
      "SELECT s.id, s.account, s.org, s.refresh_hash, s.rotated_at, s.expires_at, s.ended_at,"
          + " a.operator, m.role FROM session s JOIN account a ON a.id = s.account"
          + " LEFT JOIN member m ON m.org = s.org AND m.account = s.account";

  @Override
  public Optional<Session> find(String id) {
    return reads.first(SELECT + " WHERE s.id = ?", SqlSessions::read, id);
  }

  @Override
  public Optional<Refresh> byRefresh(KeyHash refresh) {
    byte[] hash = refresh.bytes();
    return reads.first(
        SELECT + " WHERE s.refresh_hash = ? OR s.previous_hash = ?",
        row ->
            new Refresh(
                read(row),
                Arrays.equals(row.getBytes("refresh_hash"), hash),
                Instant.ofEpochMilli(row.getLong("rotated_at"))),
        hash,
        hash);
  }

  @Override
  public void create(Session session, KeyHash refresh, Instant at, AuditRecord entry) {
    writer.change(connection -> {
      Sql.update(
          connection,
          "DELETE FROM session WHERE account = ? AND expires_at <= ?",
          session.accountId(),
          at.toEpochMilli());
      Sql.update(
          connection,
          "INSERT INTO session (id, account, org, refresh_hash, rotated_at, created_at, expires_at)"
              + " VALUES (?, ?, ?, ?, ?, ?, ?)",
          session.id(),
          session.accountId(),
          session.org().value(),
          refresh.bytes(),
          at.toEpochMilli(),
          at.toEpochMilli(),
          session.expiresAt().toEpochMilli());
      return Effect.of(true, entry);
    });
  }

  @Override
  public boolean rotate(String id, KeyHash old, KeyHash next, OrgId org, Instant at) {
    return writer.change(connection ->
        Sql.update(
                    connection,
                    "UPDATE session SET previous_hash = refresh_hash, refresh_hash = ?,"
                        + " rotated_at = ?, org = ?"
                        + " WHERE id = ? AND refresh_hash = ? AND ended_at IS NULL",
                    next.bytes(),
                    at.toEpochMilli(),
                    org.value(),
                    id,
                    old.bytes())
                == 1
            ? new Effect<>(true, java.util.List.of(), java.util.List.of(Change.session(id)))
            : Effect.none(false));
  }

  @Override
  public boolean end(String id, Instant at, AuditRecord entry) {
    return writer.change(connection ->
        Sql.update(
                    connection,
                    "UPDATE session SET ended_at = ? WHERE id = ? AND ended_at IS NULL",
                    at.toEpochMilli(),
                    id)
                == 1
            ? Effect.of(true, entry, Change.session(id))
            : Effect.none(false));
  }

  /** Ends all of a person's sessions, within a transaction that gives the reason. */
  static void endAll(Connection connection, String accountId, Instant at) throws SQLException {
    Sql.update(
        connection,
        "UPDATE session SET ended_at = ? WHERE account = ? AND ended_at IS NULL",
        at.toEpochMilli(),
        accountId);
  }

  private static Session read(ResultSet row) throws SQLException {
    return new Session(
        row.getString("id"),
        row.getString("account"),
        new OrgId(row.getString("org")),
        Optional.ofNullable(row.getString("role")).flatMap(Role::parse),
        row.getInt("operator") == 1,
        Instant.ofEpochMilli(row.getLong("expires_at")),
        Sql.instant(row, "ended_at"));
  }
}
