package dev.safeconduct.access;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Sessions, each read together with its person's current state. The end of a session is announced
 * as {@code session:<id>}. A change that ends or affects all of a person's sessions is announced as
 * {@code account:<id>}.
 */
public final class Sessions {
  private static final String SELECT =
      """
      SELECT s.id, s.account, s.org, s.refresh_hash, s.rotated_at, s.expires_at, s.ended_at,
             a.operator, m.role
        FROM session s
        JOIN account a ON a.id = s.account
        LEFT JOIN member m ON m.org = s.org AND m.account = s.account
      """;

  private static final String INSERT =
      Sql.insert("session", "id, account, org, refresh_hash, rotated_at, created_at, expires_at");

  private static final String ROTATE =
      """
      UPDATE session
         SET previous_hash = refresh_hash, refresh_hash = :next, rotated_at = :at, org = :org
       WHERE id = :id AND refresh_hash = :old AND ended_at IS NULL
      """;

  private final Storage storage;

  public Sessions(Storage storage) {
    this.storage = storage;
  }

  /**
   * A session found by its refresh cookie.
   *
   * @param current whether the cookie is the newest; otherwise it was exchanged at {@code
   *     rotatedAt}
   */
  public record Refresh(Session session, boolean current, Instant rotatedAt) {}

  public Optional<Session> find(String id) {
    return storage.first(SELECT + " WHERE s.id = :id", Sessions::read, id);
  }

  public Optional<Refresh> byRefresh(KeyHash refresh) {
    byte[] hash = refresh.bytes();
    return storage.first(
        SELECT + " WHERE s.refresh_hash = :hash OR s.previous_hash = :hash",
        row ->
            new Refresh(
                read(row),
                Arrays.equals(row.getBytes("refresh_hash"), hash),
                Rows.time(row, "rotated_at")),
        hash);
  }

  public void create(Session session, KeyHash refresh, Instant at, AuditRecord entry) {
    storage.change(connection -> {
      Sql.of(
              "DELETE FROM session WHERE account = :account AND expires_at <= :now",
              session.accountId(),
              at)
          .update(connection);
      Sql.of(INSERT)
          .set("id", session.id())
          .set("account", session.accountId())
          .set("org", session.org())
          .set("refresh_hash", refresh.bytes())
          .set("rotated_at", at)
          .set("created_at", at)
          .set("expires_at", session.expiresAt())
          .update(connection);
      return MutationResult.of(true, entry);
    });
  }

  /**
   * Exchanges the refresh cookie and moves the session to the organization.
   *
   * @return false when it has been exchanged or ended meanwhile
   */
  public boolean rotate(String id, KeyHash old, KeyHash next, OrgId org, Instant at) {
    Sql rotate =
        Sql.of(ROTATE)
            .set("next", next.bytes())
            .set("at", at)
            .set("org", org)
            .set("id", id)
            .set("old", old.bytes());
    return storage.change(connection ->
        rotate.update(connection) == 1
            ? new MutationResult<>(true, List.of(), List.of(Change.session(id)))
            : MutationResult.none(false));
  }

  /** Ends the session; returns false and records nothing when it had ended. */
  public boolean end(String id, Instant at, AuditRecord entry) {
    return storage.update(
        Sql.of("UPDATE session SET ended_at = :at WHERE id = :id AND ended_at IS NULL", at, id),
        entry,
        Change.session(id));
  }

  /** Ends all of a person's sessions, within the transaction that causes it. */
  public static void endAll(Connection connection, String accountId, Instant at)
      throws SQLException {
    Sql.of(
            "UPDATE session SET ended_at = :at WHERE account = :account AND ended_at IS NULL",
            at,
            accountId)
        .update(connection);
  }

  private static Session read(ResultSet row) throws SQLException {
    return new Session(
        row.getString("id"),
        row.getString("account"),
        new OrgId(row.getString("org")),
        Rows.text(row, "role").flatMap(Role::parse),
        row.getInt("operator") == 1,
        Rows.time(row, "expires_at"),
        Rows.optionalTime(row, "ended_at"));
  }
}
