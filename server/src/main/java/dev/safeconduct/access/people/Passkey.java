package dev.safeconduct.access.people;

import java.time.Instant;
import java.util.Optional;

/**
 * A passkey: a public key credential of W3C Web Authentication Level 3.
 *
 * @param id the credential id, in base64url
 * @param name as its person calls it
 * @param credential the attested credential data (section 6.5.1), in base64url
 * @param signCount the authenticator's counter at the last use; 0 for one that does not count
 * @param backupEligible whether the authenticator may copy it to other devices
 */
public record Passkey(
    String id,
    String accountId,
    String name,
    String credential,
    long signCount,
    boolean backupEligible,
    Instant createdAt,
    Optional<Instant> usedAt) {
  @Override
  public String toString() {
    return "Passkey[" + id + "]";
  }
}
