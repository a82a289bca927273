package dev.safeconduct.audit;

import dev.safeconduct.db.Sql;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.signing.SealedKey;
import dev.safeconduct.signing.Vault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Changes of signing keys. Each is one transaction with its record and announces {@code
 * signing_keys} on the change feed.
 */
public final class SigningKeys {
  private final Storage storage;

  public SigningKeys(Storage storage) {
    this.storage = storage;
  }

  /**
   * Makes the new key the current one of its purpose; the previous one retires.
   *
   * @param entry creates the record from the retiring key
   */
  public void rotate(SealedKey fresh, Function<SealedKey, AuditRecord> entry) {
    storage.change(connection -> {
      SealedKey current =
          Sql.of(
                  Vault.SELECT_KEY + " WHERE purpose = :purpose AND retired_at IS NULL",
                  fresh.purpose().wire())
              .first(connection, Vault::readKey)
              .orElseThrow();
      retire(connection, current, fresh.createdAt());
      Vault.insertKey(connection, fresh);
      return MutationResult.of(true, entry.apply(current), Change.SIGNING_KEYS);
    });
  }

  /**
   * Revokes the key; another key replaces it when it was its purpose's current one. A key that is
   * revoked already stays unchanged, and nothing is recorded.
   *
   * @param replacement creates the new key, when one is needed
   * @param entry creates the record from the revoked key and the new one, if any
   * @return the key as it was before; empty when no key has that id
   */
  public Optional<SealedKey> revoke(
      String id,
      Instant at,
      Function<SealedKey, SealedKey> replacement,
      BiFunction<SealedKey, @Nullable SealedKey, AuditRecord> entry) {
    return storage.change(connection -> {
      Optional<SealedKey> found =
          Sql.of(Vault.SELECT_KEY + " WHERE id = :id", id).first(connection, Vault::readKey);
      if (found.isEmpty() || found.get().revokedAt().isPresent()) {
        return MutationResult.none(found);
      }
      SealedKey key = found.get();
      SealedKey fresh = null;
      if (key.retiredAt().isEmpty()) {
        fresh = replacement.apply(key);
        retire(connection, key, at);
        Vault.insertKey(connection, fresh);
      }
      Sql.of("UPDATE signing_key SET revoked_at = :at WHERE id = :id", at, id).update(connection);
      return MutationResult.of(found, entry.apply(key, fresh), Change.SIGNING_KEYS);
    });
  }

  private static void retire(Connection connection, SealedKey key, Instant at) throws SQLException {
    Sql.of("UPDATE signing_key SET retired_at = :at WHERE id = :id", at, key.id())
        .update(connection);
  }
}
