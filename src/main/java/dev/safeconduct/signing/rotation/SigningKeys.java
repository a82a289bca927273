package dev.safeconduct.signing.rotation;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.signing.SealedKey;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Changes of signing keys. Each is one transaction with its record and announces {@code
 * signing_keys} on the change feed.
 */
public interface SigningKeys {
  /**
   * Puts the new key in the place of its purpose's current one, which retires.
   *
   * @param entry makes the record from the key that retires
   */
  void rotate(SealedKey fresh, Function<SealedKey, AuditRecord> entry);

  /**
   * Revokes the key; when it was its purpose's current one another takes its place. One that is
   * revoked already stays as it is, and nothing is recorded.
   *
   * @param replacement makes the new key, when one is needed
   * @param entry makes the record from the revoked key and the new one, if any
   * @return the key as it was before; empty when there is none of that id
   */
  Optional<SealedKey> revoke(
      String id,
      Instant at,
      Function<SealedKey, SealedKey> replacement,
      BiFunction<SealedKey, @Nullable SealedKey, AuditRecord> entry);
}
