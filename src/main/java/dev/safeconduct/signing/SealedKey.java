package dev.safeconduct.signing;

import java.time.Instant;
import java.util.Optional;

/**
 * A signing key as it is kept.
 *
 * @param id the last part of its {@code kid}
 * @param publicKey the 32 bytes of RFC 8032
 * @param sealedSeed the private seed under the master key
 */
@SuppressWarnings("ArrayRecordComponent") // key material is never compared as a record
public record SealedKey(
    String id,
    Purpose purpose,
    byte[] publicKey,
    byte[] sealedSeed,
    Instant createdAt,
    Optional<Instant> retiredAt) {}
