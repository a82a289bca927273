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
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Changes of signing keys. Each is one transaction with its record and announces {@code
 * signing_keys} on the change feed.
 */
public final class SigningKeys {
  private static final String CHANGE =
      """
      UPDATE signing_key
         SET retired_at = :retired, revoked_at = :revoked, sealed_seed = :seed
       WHERE id = :id
      """;

  private final Storage storage;

  public SigningKeys(Storage storage) {
    this.storage = storage;
  }

  /**
   * Makes the new key the current one of its purpose; the previous one retires.
   *
   * @param retired seals the retiring key again, with its new state
   * @param entry creates the record from the retiring key
   */
  public void rotate(
      SealedKey fresh, UnaryOperator<SealedKey> retired, Function<SealedKey, AuditRecord> entry) {
    storage.change(connection -> {
      SealedKey current =
          Sql.of(
                  Vault.SELECT_KEY + " WHERE purpose = :purpose AND retired_at IS NULL",
                  fresh.purpose().wire())
              .first(connection, Vault::readKey)
              .orElseThrow();
      change(connection, retired.apply(current));
      Vault.insertKey(connection, fresh);
      return MutationResult.of(true, entry.apply(current), Change.SIGNING_KEYS);
    });
  }

  /**
   * Revokes the key; another key replaces it when it was its purpose's current one. A key that is
   * revoked already stays unchanged, and nothing is recorded.
   *
   * @param revoked seals the key again, with its new state
   * @param replacement creates the new key, when one is needed
   * @param entry creates the record from the revoked key and the new one, if any
   * @return the key as it is now; empty when no key has that id
   */
  public Optional<SealedKey> revoke(
      String id,
      UnaryOperator<SealedKey> revoked,
      UnaryOperator<SealedKey> replacement,
      BiFunction<SealedKey, @Nullable SealedKey, AuditRecord> entry) {
    return storage.change(connection -> {
      Optional<SealedKey> found =
          Sql.of(Vault.SELECT_KEY + " WHERE id = :id", id).first(connection, Vault::readKey);
      if (found.isEmpty() || found.get().revokedAt().isPresent()) {
        return MutationResult.none(found);
      }
      SealedKey key = revoked.apply(found.get());
      change(connection, key);
      SealedKey fresh = null;
      if (found.get().retiredAt().isEmpty()) {
        fresh = replacement.apply(key);
        Vault.insertKey(connection, fresh);
      }
      return MutationResult.of(Optional.of(key), entry.apply(key, fresh), Change.SIGNING_KEYS);
    });
  }

  private static void change(Connection connection, SealedKey key) throws SQLException {
    Sql.of(CHANGE)
        .set("retired", key.retiredAt())
        .set("revoked", key.revokedAt())
        .set("seed", key.sealedSeed())
        .set("id", key.id())
        .update(connection);
  }
}
