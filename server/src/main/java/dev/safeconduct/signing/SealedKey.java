package dev.safeconduct.signing;

import java.time.Instant;
import java.util.Optional;

/**
 * A stored signing key.
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
}
