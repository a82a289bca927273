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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * API keys. Each change is one transaction with its record and announces {@code key:<id>} on the
 * change feed.
 */
public final class ApiKeys {
  private static final String COLUMNS =
      """
      id, org, name, scopes, bound_to, allowed_sources, hash, hint, created_at, created_by,
      expires_at, revoked_at, last_used_at
      """;

  private static final String SELECT = "SELECT " + COLUMNS + " FROM api_key";

  private static final String ONE = SELECT + " WHERE id = :id AND org = :org";

  private static final String INSERT = Sql.insert("api_key", COLUMNS);

  /** Brings the expiry forward only; a key that expires sooner keeps its expiry. */
  private static final String END =
      """
      UPDATE api_key
         SET expires_at = CASE WHEN expires_at < :end THEN expires_at ELSE :end END
       WHERE id = :id AND org = :org
      """;

  private static final String REVOKE =
      """
      UPDATE api_key SET revoked_at = :at
       WHERE id = :id AND org = :org AND revoked_at IS NULL
      """;

  private static final String UPDATE =
      """
      UPDATE api_key
         SET name = :name, scopes = :scopes, expires_at = :expires_at,
             allowed_sources = :allowed_sources
       WHERE id = :id AND org = :org
      """;

  private static final String USED =
      """
      UPDATE api_key SET last_used_at = :at
       WHERE id = :id AND coalesce(last_used_at, 0) < :at
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
    return storage.first(ONE, ApiKeys::read, keyId, org);
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
      Directory.demand(connection, key.org());
      insert(connection, key);
      return MutationResult.of(true, entry, Change.key(key.id()));
    });
  }

  /**
   * Changes the key's name, scopes, expiry and sources.
   *
   * @param change called in the transaction with the key as it is then
   * @param entry the record of the changed key; none is written when nothing changes
   * @return the changed key; empty when the organization has no such key
   */
  public Optional<ApiKey> update(
      OrgId org, String keyId, UnaryOperator<ApiKey> change, Function<ApiKey, AuditRecord> entry) {
    return storage.change(connection -> {
      Optional<ApiKey> before = Sql.of(ONE, keyId, org).first(connection, ApiKeys::read);
      Optional<ApiKey> after = before.map(change);
      if (after.isEmpty() || after.equals(before)) {
        return MutationResult.none(after);
      }
      ApiKey key = after.get();
      Sql.of(UPDATE)
          .set("name", key.name())
          .set("scopes", stored(key.scopes()))
          .set("expires_at", key.expiresAt())
          .set("allowed_sources", key.sources().stored())
          .set("id", key.id())
          .set("org", key.org())
          .update(connection);
      return MutationResult.of(after, entry.apply(key), Change.key(keyId));
    });
  }

  /** Returns the organization's keys that are valid and expire by then, the soonest first. */
  public List<ApiKey> expiring(OrgId org, Instant now, Instant by, int limit) {
    return storage.list(
        SELECT
            + """
             WHERE org = :org AND expires_at > :now AND expires_at <= :by AND revoked_at IS NULL
             ORDER BY expires_at LIMIT :limit
            """,
        ApiKeys::read,
        org,
        now,
        by,
        limit);
  }

  /** Stores when keys were last used; an earlier time than the stored one has no effect. */
  public void used(Map<String, Instant> uses) {
    storage.change(connection -> {
      for (Map.Entry<String, Instant> use : uses.entrySet()) {
        Sql.of(USED, use.getValue(), use.getKey()).update(connection);
      }
      return MutationResult.none(true);
    });
  }

  /** Revokes the key; returns false and records nothing when it was revoked already. */
  public boolean revoke(OrgId org, String keyId, Instant at, AuditRecord entry) {
    return storage.update(Sql.of(REVOKE, at, keyId, org), entry, Change.key(keyId));
  }

  /** Revokes all keys of an organization that ends; returns those that were not. */
  public static List<ApiKey> revokeAll(Connection connection, OrgId org, Instant at)
      throws SQLException {
    return revokeAll(connection, Where.of(org, "org"), at);
  }

  /** Revokes an agent's setup keys, and all of an organization without members. */
  public static List<ApiKey> revokeUnowned(
      Connection connection, OrgId org, AgentId agent, Instant at) throws SQLException {
    return revokeAll(
        connection,
        Where.of(org, "org")
            .and(
                "(bound_to = :agent OR NOT EXISTS (SELECT 1 FROM member WHERE member.org = :tenant))",
                agent),
        at);
  }

  private static List<ApiKey> revokeAll(Connection connection, Where which, Instant at)
      throws SQLException {
    which.and("revoked_at IS NULL");
    List<ApiKey> live = Sql.of(SELECT, which).list(connection, ApiKeys::read);
    for (ApiKey key : live) {
      Sql.of(REVOKE, at, key.id(), key.org()).update(connection);
    }
    return live;
  }

  /**
   * What a rotation writes.
   *
   * @param oldExpiresAt the new expiry of the key that is replaced
   */
  public record Rotation(ApiKey successor, Instant oldExpiresAt, AuditRecord entry) {}

  /**
   * Adds the key's successor and sets the key's own expiry.
   *
   * @param rotation called in the transaction with the key as it is then
   * @return empty when the organization has no such key
   */
  public Optional<Rotation> rotate(OrgId org, String keyId, Function<ApiKey, Rotation> rotation) {
    return storage.change(connection -> {
      Optional<Rotation> rotated =
          Sql.of(ONE, keyId, org).first(connection, ApiKeys::read).map(rotation);
      if (rotated.isEmpty()) {
        return MutationResult.none(rotated);
      }
      ApiKey successor = rotated.get().successor();
      Sql.of(END, rotated.get().oldExpiresAt(), keyId, org).update(connection);
      insert(connection, successor);
      return MutationResult.of(
          rotated, rotated.get().entry(), Change.key(keyId), Change.key(successor.id()));
    });
  }

  /** Adds the key to a transaction. */
  public static void insert(Connection connection, ApiKey key) throws SQLException {
    Sql.of(INSERT)
        .set("id", key.id())
        .set("org", key.org())
        .set("name", key.name())
        .set("scopes", stored(key.scopes()))
        .set("bound_to", key.boundTo())
        .set("allowed_sources", key.sources().stored())
        .set("hash", key.hash().bytes())
        .set("hint", key.hint())
        .set("created_at", key.createdAt())
        .set("expires_at", key.expiresAt())
        .set("created_by", key.createdBy())
        .set("revoked_at", key.revokedAt())
        .set("last_used_at", key.lastUsedAt())
        .update(connection);
  }

  private static String stored(Set<Scope> scopes) {
    return scopes.stream().map(Scope::wire).sorted().collect(Collectors.joining(" "));
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
        AllowedSources.stored(row.getString("allowed_sources")),
        KeyHash.stored(row.getBytes("hash")),
        row.getString("hint"),
        Rows.time(row, "created_at"),
        Rows.text(row, "created_by"),
        Rows.optionalTime(row, "expires_at"),
        Rows.optionalTime(row, "revoked_at"),
        Rows.optionalTime(row, "last_used_at"));
  }
}
