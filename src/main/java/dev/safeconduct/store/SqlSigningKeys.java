package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.signing.SealedKey;
import dev.safeconduct.signing.rotation.SigningKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Signing keys as rows. */
record SqlSigningKeys(Writer writer) implements SigningKeys {
  private static final String SELECT =
      "SELECT id, purpose, public_key, sealed_seed, created_at, retired_at, revoked_at"
          + " FROM signing_key WHERE ";

  @Override
  public void rotate(SealedKey fresh, Function<SealedKey, AuditRecord> entry) {
    writer.change(connection -> {
      String purpose = fresh.purpose().wire();
      SealedKey current =
          find(connection, "purpose = ? AND retired_at IS NULL", purpose).orElseThrow();
      retire(connection, current, fresh.createdAt());
      SqlVault.insert(connection, fresh);
      return Effect.of(true, entry.apply(current), Change.SIGNING_KEYS);
    });
  }

  @Override
  public Optional<SealedKey> revoke(
      String id,
      Instant at,
      Function<SealedKey, SealedKey> replacement,
      BiFunction<SealedKey, @Nullable SealedKey, AuditRecord> entry) {
    return writer.change(connection -> {
      Optional<SealedKey> found = find(connection, "id = ?", id);
      if (found.isEmpty() || found.get().revokedAt().isPresent()) {
        return Effect.none(found);
      }
      SealedKey key = found.get();
      SealedKey fresh = null;
      if (key.retiredAt().isEmpty()) {
        fresh = replacement.apply(key);
        retire(connection, key, at);
        SqlVault.insert(connection, fresh);
      }
      Sql.update(
          connection, "UPDATE signing_key SET revoked_at = ? WHERE id = ?", at.toEpochMilli(), id);
      return Effect.of(found, entry.apply(key, fresh), Change.SIGNING_KEYS);
    });
  }

  private static Optional<SealedKey> find(Connection connection, String where, String value)
      throws SQLException {
    return Sql.list(connection, SELECT + where, SqlVault::read, List.of(value)).stream()
        .findFirst();
  }

  private static void retire(Connection connection, SealedKey key, Instant at) throws SQLException {
    Sql.update(
        connection,
        "UPDATE signing_key SET retired_at = ? WHERE id = ?",
        at.toEpochMilli(),
        key.id());
  }
}
