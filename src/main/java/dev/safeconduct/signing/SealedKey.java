package dev.safeconduct.signing;

import java.time.Instant;
import java.util.Optional;

/**
 * A signing key as it is kept.
 *
 * @param id the last part of its {@code kid}
 * @param publicKey the 32 bytes of RFC 8032
 * @param sealedSeed the private key under the master key, or the name by which a security module
 *     knows it ({@link KeyMaterial})
 * @param retiredAt when another key took its place; what it signed before goes on to count
 * @param revokedAt when it was called compromised; nothing counts that only its signature vouches
 *     for
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

  /** How every {@code kid} begins. */
  public static final String PREFIX = "oap:registry:";

  /** The key's name in decisions, tokens and key sets. */
  public String kid() {
    return PREFIX + id;
  }
}
