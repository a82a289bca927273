package dev.safeconduct.access;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.identity.Tenant;
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
import java.util.function.Function;

/**
 * Sessions, each read together with its person's current state. The end of a session is announced
 * as {@code session:<id>}. A change that ends or affects all of a person's sessions is announced as
 * {@code account:<id>}.
 */
public final class Sessions {
  private static final String SELECT =
      """
      SELECT s.id, s.account, s.org, s.refresh_hash, s.rotated_at, s.expires_at, s.ended_at,
             a.operator, m.role, s.issuer IS NOT NULL AS by_provider
        FROM session s
        JOIN account a ON a.id = s.account
        LEFT JOIN member m ON m.org = s.org AND m.account = s.account
             AND (m.by_group = 0 OR s.issuer IS NOT NULL)
      """;

  private static final String INSERT =
      Sql.insert(
          "session",
          "id, account, org, refresh_hash, rotated_at, created_at, expires_at, issuer, subject,"
              + " provider_session, id_token, device, second_factor");

  private static final String ROTATE =
      """
      UPDATE session
         SET previous_hash = refresh_hash, refresh_hash = :next, rotated_at = :at, org = :org
       WHERE id = :id AND refresh_hash = :old AND ended_at IS NULL
      """;

  /** The ID token is of use only while its session lasts. */
  private static final String END = "UPDATE session SET ended_at = :at, id_token = NULL";

  private final Storage storage;

  /** The condition of sessions that are valid here. */
  private final String valid;

  /**
   * @param passwords whether people can sign in by a password; otherwise sessions that began with
   *     one are not found
   * @param mfa whose sessions are not found if they began without a second factor
   */
  public Sessions(Storage storage, boolean passwords, MfaPolicy mfa) {
    this.storage = storage;
    this.valid = passwords ? mfa.condition() : " AND s.issuer IS NOT NULL";
  }

  /**
   * A session found by its refresh cookie.
   *
   * @param current whether the cookie is the newest; otherwise it was exchanged at {@code
   *     rotatedAt}
   */
  public record Refresh(Session session, boolean current, Instant rotatedAt) {}

  /**
   * A session in the list of its person.
   *
   * @param device the browser and its system, in words; empty if not known
   * @param usedAt when it last renewed its token, which is valid for 15 minutes
   * @param byProvider whether it began at an identity provider
   */
  public record Listed(
      String id, String device, Instant createdAt, Instant usedAt, boolean byProvider) {}

  /** Returns a person's sessions that have not ended, the last used first. */
  public List<Listed> list(String accountId, Instant now) {
    return storage.list(
        """
        SELECT s.id, s.device, s.created_at, s.rotated_at, s.issuer IS NOT NULL AS by_provider
          FROM session s JOIN account a ON a.id = s.account
         WHERE s.account = :account AND s.ended_at IS NULL AND s.expires_at > :now
        """
            + valid
            + " ORDER BY s.rotated_at DESC, s.id LIMIT 200",
        row ->
            new Listed(
                row.getString("id"),
                row.getString("device"),
                Rows.time(row, "created_at"),
                Rows.time(row, "rotated_at"),
                row.getBoolean("by_provider")),
        accountId,
        now);
  }

  /** Ends a person's sessions except one; returns how many had not ended. */
  int endOthers(
      String accountId, String kept, Instant at, Function<Session, AuditRecord> recordOf) {
    return storage.change(connection -> {
      List<Session> found =
          Sql.of(
                  SELECT + " WHERE s.account = :account AND s.id <> :kept AND s.ended_at IS NULL",
                  accountId,
                  kept)
              .list(connection, Sessions::read);
      for (Session each : found) {
        Sql.of(END + " WHERE id = :id", at, each.id()).update(connection);
      }
      return new MutationResult<>(
          found.size(),
          found.stream().map(recordOf).toList(),
          found.stream().map(each -> Change.session(each.id())).toList());
    });
  }

  public Optional<Session> find(String id) {
    return storage.first(SELECT + " WHERE s.id = :id" + valid, Sessions::read, id);
  }

  /** Returns the session at an identity provider with which the session began. */
  public Optional<ProviderSession> provider(String id) {
    return storage.first(
        """
        SELECT issuer, subject, provider_session, id_token FROM session
         WHERE id = :id AND id_token IS NOT NULL
        """,
        row ->
            new ProviderSession(
                row.getString("issuer"),
                row.getString("subject"),
                Rows.text(row, "provider_session"),
                row.getString("id_token")),
        id);
  }

  /**
   * Ends the sessions that began with this session at the provider, also those of the subject that
   * do not know with which; without a session all of the subject. Within a transaction; returns
   * those that had not ended.
   */
  static List<Session> endOfProvider(
      Connection connection,
      String issuer,
      Optional<String> subject,
      Optional<String> session,
      Instant at)
      throws SQLException {
    var where =
        Where.of(new Tenant.Everyone(), "s.org")
            .and("s.issuer = :issuer", issuer)
            .and("s.ended_at IS NULL");
    if (subject.isPresent() && session.isPresent()) {
      // A provider that names both here may have left the session out of its ID token.
      where.and(
          """
          (s.provider_session = :session
           OR (s.provider_session IS NULL AND s.subject = :subject))
          """,
          session.get(),
          subject.get());
    } else {
      subject.ifPresent(id -> where.and("s.subject = :subject", id));
      session.ifPresent(id -> where.and("s.provider_session = :session", id));
    }
    List<Session> found = Sql.of(SELECT, where).list(connection, Sessions::read);
    for (Session each : found) {
      Sql.of(END + " WHERE id = :id", at, each.id()).update(connection);
    }
    return found;
  }

  public Optional<Refresh> byRefresh(KeyHash refresh) {
    byte[] hash = refresh.bytes();
    return storage.first(
        SELECT + " WHERE (s.refresh_hash = :hash OR s.previous_hash = :hash)" + valid,
        row ->
            new Refresh(
                read(row),
                Arrays.equals(row.getBytes("refresh_hash"), hash),
                Rows.time(row, "rotated_at")),
        hash);
  }

  public void create(
      Session session, KeyHash refresh, SignInMethod method, Instant at, AuditRecord entry) {
    Optional<ProviderSession> provider = method.provider();
    storage.change(connection -> {
      Sql.of(INSERT)
          .set("id", session.id())
          .set("account", session.accountId())
          .set("org", session.org())
          .set("refresh_hash", refresh.bytes())
          .set("rotated_at", at)
          .set("created_at", at)
          .set("expires_at", session.expiresAt())
          .set("issuer", provider.map(ProviderSession::issuer))
          .set("subject", provider.map(ProviderSession::subject))
          .set("provider_session", provider.flatMap(ProviderSession::session))
          .set("id_token", provider.map(ProviderSession::idToken))
          .set("device", method.device())
          .set("second_factor", method.secondFactor())
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
        Sql.of(END + " WHERE id = :id AND ended_at IS NULL", at, id), entry, Change.session(id));
  }

  /** Ends all of a person's sessions, within the transaction that causes it. */
  public static void endAll(Connection connection, String accountId, Instant at)
      throws SQLException {
    Sql.of(END + " WHERE account = :account AND ended_at IS NULL", at, accountId)
        .update(connection);
  }

  /**
   * Ends a person's sessions in one organization, within the transaction that changes what they may
   * do there. Those elsewhere go on: anybody who adds and removes people there would otherwise sign
   * strangers out.
   */
  public static void endAll(Connection connection, String accountId, OrgId org, Instant at)
      throws SQLException {
    Sql.of(
            END + " WHERE account = :account AND org = :org AND ended_at IS NULL",
            at,
            accountId,
            org)
        .update(connection);
  }

  /** Deletes sessions that have expired. */
  public static void sweep(Connection connection, long horizonMs) throws SQLException {
    Sql.of("DELETE FROM session WHERE expires_at <= :horizon", horizonMs).update(connection);
  }

  private static Session read(ResultSet row) throws SQLException {
    return new Session(
        row.getString("id"),
        row.getString("account"),
        new OrgId(row.getString("org")),
        Rows.text(row, "role").flatMap(Role::parse),
        row.getInt("operator") == 1,
        row.getBoolean("by_provider"),
        Rows.time(row, "expires_at"),
        Rows.optionalTime(row, "ended_at"));
  }
}
