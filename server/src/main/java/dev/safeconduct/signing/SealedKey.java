package dev.safeconduct.signing;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/**
 * A stored signing key. The seal covers every member, so a row that was altered does not open.
 *
 * @param id the last part of its {@code kid}
 * @param publicKey the 32 bytes of RFC 8032
 * @param sealedSeed the private key encrypted under the master key, or its name in a security
 *     module ({@link PrivateKeys})
 * @param retiredAt the time of its replacement; earlier signatures remain valid
 * @param revokedAt the time when it was declared compromised; data is no longer valid when only its
 *     signature proves it
 */
@SuppressWarnings("ArrayRecordComponent") // key material is never compared as a record
public record SealedKey(
    String id,
    Purpose purpose,
    byte[] publicKey,
    byte[] sealedSeed,
    Instant createdAt,
    Optional<Instant> retiredAt,
    Optional<Instant> revokedAt) {

  /** The prefix of every {@code kid}. */
  public static final String PREFIX = "oap:registry:";

  /** Returns the key's name in decisions, tokens and key sets. */
  public String kid() {
    return PREFIX + id;
  }

  /** Returns the 32 bytes as JWKs and records have them (RFC 8037). */
  public String x() {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(publicKey);
  }

  SealedKey sealed(byte[] seed) {
    return new SealedKey(id, purpose, publicKey, seed, createdAt, retiredAt, revokedAt);
  }

  SealedKey retired(Instant at) {
    return new SealedKey(
        id,
        purpose,
        publicKey,
        sealedSeed,
        createdAt,
        Optional.of(retiredAt.orElse(at)),
        revokedAt);
  }

  SealedKey revoked(Instant at) {
    return new SealedKey(id, purpose, publicKey, sealedSeed, createdAt, retiredAt, Optional.of(at));
  }

  /** Returns what the seal covers beside the seed, in one spelling. */
  byte[] bound() {
    JsonObject.Builder row =
        JsonObject.builder()
            .put("id", id)
            .put("purpose", purpose.wire())
            .put("x", x())
            .put("created_at", createdAt.toEpochMilli());
    retiredAt.ifPresent(at -> row.put("retired_at", at.toEpochMilli()));
    revokedAt.ifPresent(at -> row.put("revoked_at", at.toEpochMilli()));
    return CanonicalJson.bytes(row.build());
  }
}
