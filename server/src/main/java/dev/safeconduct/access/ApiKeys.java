package dev.safeconduct.access;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
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
import java.util.stream.Collectors;

/**
 * API keys. Each change is one transaction with its record and announces {@code key:<id>} on the
 * change feed.
 */
public final class ApiKeys {
  private static final String COLUMNS =
      "id, org, name, scopes, bound_to, hash, hint, created_at, expires_at, revoked_at";

  private static final String SELECT = "SELECT " + COLUMNS + " FROM api_key";

  private static final String INSERT = Sql.insert("api_key", COLUMNS);

  /** Brings the expiry forward only; a key that expires sooner keeps its expiry. */
  private static final String END =
      """
      UPDATE api_key
         SET expires_at = CASE WHEN expires_at < :end THEN expires_at ELSE :end END
       WHERE id = :id AND org = :org AND revoked_at IS NULL
      """;

  private final Storage storage;

  public ApiKeys(Storage storage) {
    this.storage = storage;
  }

  public Optional<ApiKey> find(KeyHash hash) {
    return storage.first(SELECT + " WHERE hash = :hash", ApiKeys::read, hash.bytes());
  }

  /** Returns the organization's key with that id; empty also for another organization's key. */
  public Optional<ApiKey> find(OrgId org, String keyId) {
    return storage.first(SELECT + " WHERE id = :id AND org = :org", ApiKeys::read, keyId, org);
  }

  /** Returns the organization's keys, newest first, starting after {@code afterId}. */
  public List<ApiKey> list(OrgId org, Optional<String> afterId, int limit) {
    var where = Where.of(org, "org");
    afterId.ifPresent(after ->
        where.and(
            "(created_at, id) < (SELECT created_at, id FROM api_key WHERE id = :after"
                + " AND org = :tenant)",
            after));
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY created_at DESC, id DESC LIMIT :limit", limit),
        ApiKeys::read);
  }

  /**
   * Checks that the database is not another cell's.
   *
   * @throws IllegalStateException naming the cell whose keys it holds
   */
  public void demandOwn(Cell cell) {
    storage
        .list(
            Sql.of("SELECT DISTINCT substr(hint, 1, length(hint) - 4) AS prefix FROM api_key"),
            row -> KeyText.cell(row.getString("prefix")))
        .stream()
        .filter(named -> !named.isNone() && !named.equals(cell))
        .findFirst()
        .ifPresent(other -> {
          throw new IllegalStateException(
              "CELL must be "
                  + other
                  + ": the database holds API keys of that cell, and a cell keeps its name.");
        });
  }

  public void create(ApiKey key, AuditRecord entry) {
    storage.change(connection -> {
      insert(connection, key);
      return MutationResult.of(true, entry, Change.key(key.id()));
    });
  }

  /** Revokes the key; returns false and records nothing when it was revoked already. */
  public boolean revoke(OrgId org, String keyId, Instant at, AuditRecord entry) {
    return storage.update(
        Sql.of(
            """
            UPDATE api_key SET revoked_at = :at
             WHERE id = :id AND org = :org AND revoked_at IS NULL
            """,
            at,
            keyId,
            org),
        entry,
        Change.key(keyId));
  }

  /**
   * Adds the successor and sets the old key's expiry to {@code oldExpiresAt}.
   *
   * @return false when the old key has been revoked; nothing is written then
   */
  public boolean rotate(
      ApiKey successor, OrgId org, String oldKeyId, Instant oldExpiresAt, AuditRecord entry) {
    return storage.change(connection -> {
      if (Sql.of(END, oldExpiresAt, oldKeyId, org).update(connection) == 0) {
        return MutationResult.none(false);
      }
      insert(connection, successor);
      return MutationResult.of(true, entry, Change.key(oldKeyId), Change.key(successor.id()));
    });
  }

  /** Adds the key to a transaction. */
  public static void insert(Connection connection, ApiKey key) throws SQLException {
    Sql.of(INSERT)
        .set("id", key.id())
        .set("org", key.org())
        .set("name", key.name())
        .set(
            "scopes",
            key.scopes().stream().map(Scope::wire).sorted().collect(Collectors.joining(" ")))
        .set("bound_to", key.boundTo())
        .set("hash", key.hash().bytes())
        .set("hint", key.hint())
        .set("created_at", key.createdAt())
        .set("expires_at", key.expiresAt())
        .set("revoked_at", key.revokedAt())
        .update(connection);
  }

  private static ApiKey read(ResultSet row) throws SQLException {
    return new ApiKey(
        row.getString("id"),
        new OrgId(row.getString("org")),
        row.getString("name"),
        // A scope that this version does not know grants nothing.
        Arrays.stream(row.getString("scopes").split(" ", -1))
            .flatMap(scope -> Scope.parse(scope).stream())
            .collect(Collectors.toSet()),
        Rows.text(row, "bound_to").map(AgentId::new),
        KeyHash.stored(row.getBytes("hash")),
        row.getString("hint"),
        Rows.time(row, "created_at"),
        Rows.optionalTime(row, "expires_at"),
        Rows.optionalTime(row, "revoked_at"));
  }
}
