package dev.safeconduct.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.DeployRight;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.signing.Vault;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operators' tokens, and the admin token: the setting {@code ADMIN_TOKEN}, or else the one of the
 * first start. All that can be used are held in memory, and invalidated by the change feed.
 */
public final class OperatorTokens {
  /** The maximum number of tokens that are not revoked. */
  static final int MOST = 200;

  private static final String ADMIN_TOKEN_HASH = "admin_token_sha256";
  private static final Logger LOG = LoggerFactory.getLogger(OperatorTokens.class);

  private static final String COLUMNS =
      "id, name, role, org, may, hash, hint, created_by, created_at, expires_at, revoked_at,"
          + " last_used_at";

  private static final String SELECT = "SELECT " + COLUMNS + " FROM operator_token";

  private static final String LIVE = SELECT + " WHERE revoked_at IS NULL";

  private static final String INSERT = Sql.insert("operator_token", COLUMNS);

  /** The limit applies only to the effect of a broken feed. */
  private static final Duration KEEP = Duration.ofMinutes(1);

  private final Storage storage;
  private final Optional<KeyHash> setting;
  private final Cache<String, Known> known = Caffeine.newBuilder().expireAfterWrite(KEEP).build();

  /** The minute of the last use that this node has written, by token. */
  private final Map<String, Instant> used = new ConcurrentHashMap<>();

  /** The tokens that are not revoked. */
  private record Known(Optional<KeyHash> admin, Map<KeyHash, OperatorToken> tokens) {}

  /**
   * @param setting the hash of the setting {@code ADMIN_TOKEN}
   */
  public OperatorTokens(Storage storage, Optional<KeyHash> setting) {
    this.storage = storage;
    this.setting = setting;
    storage
        .changes()
        .listen(change -> {
          if (change.subject().startsWith(Change.TOKEN)) {
            known.invalidate(Change.TOKEN);
          }
        });
  }

  /** Returns whether the credential is the admin token. */
  boolean isAdmin(KeyHash hash) {
    return admin().filter(admin -> admin.matches(hash)).isPresent();
  }

  /** Returns whether there is an admin token: it has not been retired. */
  boolean hasAdmin() {
    return admin().isPresent();
  }

  private Optional<KeyHash> admin() {
    return setting.or(() -> known().admin());
  }

  /**
   * Returns the token of the credential, if it can be used, and notes its use. One that this node
   * has not heard of yet is read.
   *
   * @param suspect whether the caller's address has failed too often; then nothing is read
   */
  Optional<OperatorToken> use(KeyHash hash, boolean suspect, Instant now) {
    Optional<OperatorToken> found =
        Optional.ofNullable(known().tokens().get(hash))
            .or(() -> suspect ? Optional.empty() : find(hash))
            .filter(token -> token.usableAt(now));
    found.ifPresent(token -> noteUse(token.id(), now.truncatedTo(ChronoUnit.MINUTES)));
    return found;
  }

  /** Returns whether the token can be used. */
  boolean isUsable(String id, Instant now) {
    return named(id).filter(token -> token.usableAt(now)).isPresent();
  }

  /** Returns when the token expires. */
  Optional<Instant> end(String id) {
    return named(id).flatMap(token -> token.times().expiresAt());
  }

  private Optional<OperatorToken> named(String id) {
    return known().tokens().values().stream()
        .filter(token -> token.id().equals(id))
        .findFirst()
        .or(() -> find(id));
  }

  /** Returns whether a token with the role of an operator can be used. */
  public boolean hasOperator(Instant now) {
    return storage.list(LIVE, OperatorTokens::read).stream().anyMatch(token -> opens(token, now));
  }

  private Known known() {
    // The loader runs inside the map's entry, so an invalidation waits for it and then removes it.
    return known.get(
        Change.TOKEN,
        _ ->
            new Known(
                stored(),
                storage.reads().few(Sql.of(LIVE), OperatorTokens::read).stream()
                    .collect(
                        Collectors.toUnmodifiableMap(OperatorToken::hash, Function.identity()))));
  }

  /** Returns the hash of the admin token that the first start has created. */
  private Optional<KeyHash> stored() {
    return new Vault(storage).find(ADMIN_TOKEN_HASH).map(KeyHash::stored);
  }

  /** Returns whether neither the setting nor an earlier start gives an admin token. */
  public boolean lacksAdmin() {
    return setting.isEmpty() && stored().isEmpty();
  }

  /** Returns the stored name and value of a new admin token. */
  public static Map.Entry<String, byte[]> admin(String token) {
    return Map.entry(ADMIN_TOKEN_HASH, KeyHash.of(token).bytes());
  }

  /** Writes the use once a minute, after the request has gone on. */
  private void noteUse(String id, Instant minute) {
    if (minute.equals(used.get(id)) || minute.equals(used.put(id, minute))) {
      return;
    }
    Thread.startVirtualThread(() -> {
      try {
        storage.update(
            Sql.of(
                """
                UPDATE operator_token SET last_used_at = :at
                 WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :at)
                """,
                minute,
                id));
      } catch (RuntimeException e) {
        LOG.debug("The use of the token {} is not noted: {}", id, e.getMessage());
      }
    });
  }

  private Optional<OperatorToken> find(KeyHash hash) {
    return storage.first(SELECT + " WHERE hash = :hash", OperatorTokens::read, hash.bytes());
  }

  Optional<OperatorToken> find(String id) {
    return storage.first(SELECT + " WHERE id = :id", OperatorTokens::read, id);
  }

  /** Returns all tokens, revoked ones too, newest first, starting after {@code afterId}. */
  List<OperatorToken> list(Optional<String> afterId, int limit) {
    var where = Where.of(new Tenant.Everyone(), "org");
    afterId.ifPresent(after ->
        where.and(
            "(created_at, id) < (SELECT created_at, id FROM operator_token WHERE id = :after)",
            after));
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY created_at DESC, id DESC LIMIT :limit", limit),
        OperatorTokens::read);
  }

  /**
   * Stores the token.
   *
   * @throws dev.safeconduct.error.ProblemException 409 when there are too many
   */
  void create(OperatorToken token, AuditRecord entry) {
    boolean _ =
        storage.change(connection -> {
          if (live(connection).size() >= MOST) {
            throw ProblemException.conflict(
                "There are " + MOST + " tokens; revoke one first.", "too_many_tokens");
          }
          if (token.org().isPresent()) {
            Directory.demand(connection, token.org().get());
          }
          insert(connection, token);
          return MutationResult.of(true, entry, Change.token(token.id()));
        });
  }

  /**
   * Revokes the token.
   *
   * @return false if it is revoked already; nothing is written then
   * @throws dev.safeconduct.error.ProblemException 409 for the last way in
   */
  boolean revoke(OperatorToken token, Instant at, AuditRecord entry) {
    return storage.change(connection -> {
      if (opens(token, at) && !hasAdmin(connection)) {
        demandOther(connection, token.id(), at);
      }
      boolean done =
          Sql.of(
                      "UPDATE operator_token SET revoked_at = :at"
                          + " WHERE id = :id AND revoked_at IS NULL",
                      at,
                      token.id())
                  .update(connection)
              == 1;
      return MutationResult.when(done, entry, Change.token(token.id()));
    });
  }

  /**
   * Retires the admin token of the first start, for good.
   *
   * @return false if there is none; nothing is written then
   * @throws dev.safeconduct.error.ProblemException 409 for the last way in, or while the setting
   *     gives the admin token
   */
  boolean retireAdmin(Instant at, AuditRecord entry) {
    if (setting.isPresent()) {
      throw ProblemException.conflict(
          "The setting ADMIN_TOKEN gives the admin token; remove the setting and restart.",
          "admin_token_is_set");
    }
    return storage.change(connection -> {
      demandOther(connection, "", at);
      return MutationResult.when(
          Vault.remove(connection, ADMIN_TOKEN_HASH), entry, Change.token("admin"));
    });
  }

  private boolean hasAdmin(Connection connection) throws SQLException {
    return setting.isPresent()
        || Sql.of("SELECT 1 FROM secret WHERE name = :name", ADMIN_TOKEN_HASH).exists(connection);
  }

  private static void demandOther(Connection connection, String id, Instant at)
      throws SQLException {
    if (live(connection).stream().noneMatch(other -> !other.id().equals(id) && opens(other, at))) {
      throw ProblemException.conflict(
          "This is the last token that opens everything; create another with the role operator"
              + " first.",
          "last_operator_token");
    }
  }

  private static boolean opens(OperatorToken token, Instant at) {
    return token.role() == OperatorToken.Role.OPERATOR && token.usableAt(at);
  }

  private static List<OperatorToken> live(Connection connection) throws SQLException {
    return Sql.of(LIVE).list(connection, OperatorTokens::read);
  }

  private static void insert(Connection connection, OperatorToken token) throws SQLException {
    Sql.of(INSERT)
        .set("id", token.id())
        .set("name", token.name())
        .set("role", token.role().wire())
        .set("org", token.org())
        .set("may", DeployRight.stored(token.may()))
        .set("hash", token.hash().bytes())
        .set("hint", token.hint())
        .set("created_by", token.createdBy())
        .set("created_at", token.times().createdAt())
        .set("expires_at", token.times().expiresAt())
        .set("revoked_at", token.times().revokedAt())
        .set("last_used_at", token.times().lastUsedAt())
        .update(connection);
  }

  /** Revokes the deploy tokens of an organization that is deleted; returns their ids. */
  public static List<String> revokeAll(Connection connection, OrgId org, Instant at)
      throws SQLException {
    List<String> ids =
        Sql.of("SELECT id FROM operator_token WHERE org = :org AND revoked_at IS NULL", org)
            .list(connection, row -> row.getString("id"));
    Sql.of(
            "UPDATE operator_token SET revoked_at = :at WHERE org = :org AND revoked_at IS NULL",
            at,
            org)
        .update(connection);
    return ids;
  }

  private static OperatorToken read(ResultSet row) throws SQLException {
    String role = row.getString("role");
    return new OperatorToken(
        row.getString("id"),
        row.getString("name"),
        new OperatorToken.Access(
            OperatorToken.Role.parse(role)
                .orElseThrow(() -> new SQLException("no such role: " + role)),
            Rows.text(row, "org").map(OrgId::new),
            DeployRight.stored(row.getString("may"))),
        KeyHash.stored(row.getBytes("hash")),
        row.getString("hint"),
        row.getString("created_by"),
        new OperatorToken.Times(
            Rows.time(row, "created_at"),
            Rows.optionalTime(row, "expires_at"),
            Rows.optionalTime(row, "revoked_at"),
            Rows.optionalTime(row, "last_used_at")));
  }
}
