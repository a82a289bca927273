package dev.safeconduct.store;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.problem.Problem;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** API keys as rows. */
record SqlApiKeys(Writer writer, Reads reads) implements ApiKeys {
  private static final String COLUMNS =
      "id, org, name, scopes, bound_to, hash, hint, created_at, expires_at, revoked_at";
  private static final String SELECT = "SELECT " + COLUMNS + " FROM api_key";

  @Override
  public Optional<ApiKey> find(KeyHash hash) {
    return reads.first(SELECT + " WHERE hash = ?", SqlApiKeys::read, hash.bytes());
  }

  @Override
  public Optional<ApiKey> find(OrgId org, String keyId) {
    return reads.first(SELECT + " WHERE id = ? AND org = ?", SqlApiKeys::read, keyId, org.value());
  }

  @Override
  public List<ApiKey> list(OrgId org, Optional<String> afterId, int limit) {
    var where = Where.of(new Tenant.One(org), "org");
    afterId.ifPresent(after ->
        where.and(
            "(created_at, id) < (SELECT created_at, id FROM api_key WHERE id = ? AND org = ?)",
            after,
            org.value()));
    return reads.list(
        SELECT + where.sql() + " ORDER BY created_at DESC, id DESC LIMIT ?",
        SqlApiKeys::read,
        where.parameters(limit));
  }

  @Override
  public void create(ApiKey key, AuditRecord entry) {
    writer.change(connection -> {
      insert(connection, key);
      return Effect.of(true, entry, Change.key(key.id()));
    });
  }

  @Override
  public boolean revoke(OrgId org, String keyId, Instant at, AuditRecord entry) {
    return writer.change(connection ->
        Sql.update(
                    connection,
                    "UPDATE api_key SET revoked_at = ?"
                        + " WHERE id = ? AND org = ? AND revoked_at IS NULL",
                    at.toEpochMilli(),
                    keyId,
                    org.value())
                == 1
            ? Effect.of(true, entry, Change.key(keyId))
            : Effect.none(false));
  }

  @Override
  public void rotate(
      ApiKey successor, OrgId org, String oldKeyId, Instant oldExpiresAt, AuditRecord entry) {
    long end = oldExpiresAt.toEpochMilli();
    writer.change(connection -> {
      // A key that ends sooner by itself is not given more time.
      int found =
          Sql.update(
              connection,
              "UPDATE api_key SET expires_at = CASE WHEN expires_at < ? THEN expires_at ELSE ?"
                  + " END WHERE id = ? AND org = ? AND revoked_at IS NULL",
              end,
              end,
              oldKeyId,
              org.value());
      if (found == 0) {
        throw new Problem.Conflict("The key is revoked.", "key_revoked").toException();
      }
      insert(connection, successor);
      return Effect.of(true, entry, Change.key(oldKeyId), Change.key(successor.id()));
    });
  }

  /** Adds the key to a transaction. */
  static void insert(Connection connection, ApiKey key) throws SQLException {
    Sql.update(
        connection,
        "INSERT INTO api_key (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        key.id(),
        key.org().value(),
        key.name(),
        key.scopes().stream().map(Scope::wire).sorted().collect(Collectors.joining(" ")),
        key.boundTo().isPresent() ? key.boundTo().get().value() : null,
        key.hash().bytes(),
        key.hint(),
        key.createdAt().toEpochMilli(),
        Sql.millis(key.expiresAt()),
        Sql.millis(key.revokedAt()));
  }

  private static ApiKey read(ResultSet row) throws SQLException {
    return new ApiKey(
        row.getString("id"),
        new OrgId(row.getString("org")),
        row.getString("name"),
        // A scope this version does not know opens nothing.
        Arrays.stream(row.getString("scopes").split(" ", -1))
            .flatMap(scope -> Scope.parse(scope).stream())
            .collect(Collectors.toSet()),
        Optional.ofNullable(row.getString("bound_to")).map(AgentId::new),
        KeyHash.stored(row.getBytes("hash")),
        row.getString("hint"),
        Instant.ofEpochMilli(row.getLong("created_at")),
        Sql.instant(row, "expires_at"),
        Sql.instant(row, "revoked_at"));
  }
}
