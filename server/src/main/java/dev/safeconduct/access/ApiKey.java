package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/**
 * A stored API key, without the key itself.
 *
 * @param id {@code key_} and 32 hex digits
 * @param sources the client addresses from which it is accepted
 * @param hint the key's first characters, for people to tell keys apart
 * @param boundTo the only passport that a setup key may access
 * @param createdBy the creator's name in the audit log; empty for keys made before this was stored
 * @param expiresAt when it stops being accepted; also the end of a rotated key's grace period
 * @param revokedAt when it was revoked, permanently
 * @param lastUsedAt the minute of its last use; empty for none that was stored
 */
public record ApiKey(
    String id,
    OrgId org,
    String name,
    Set<Scope> scopes,
    Optional<AgentId> boundTo,
    AllowedSources sources,
    KeyHash hash,
    String hint,
    Instant createdAt,
    Optional<String> createdBy,
    Optional<Instant> expiresAt,
    Optional<Instant> revokedAt,
    Optional<Instant> lastUsedAt) {
  public ApiKey {
    scopes = Set.copyOf(scopes);
  }

  public boolean usableAt(Instant now) {
    return revokedAt.isEmpty() && (expiresAt.isEmpty() || now.isBefore(expiresAt.get()));
  }

  void demandUsable(Instant now) {
    if (!usableAt(now)) {
      throw ProblemException.conflict(
          "Key " + id + " is revoked or expired; create a new one.", "key_not_usable");
    }
  }

  /** Returns whether it can be used to ask for decisions. */
  public boolean decidesAt(Instant now) {
    return usableAt(now) && scopes.contains(Scope.READ);
  }

  /** Returns a digest of the client addresses, which tells nobody else what they are. */
  String sourcesDigest() {
    MessageDigest digest = Sha256.begin();
    digest.update(hash.bytes());
    digest.update(sources.stored().getBytes(StandardCharsets.US_ASCII));
    return HexFormat.of().formatHex(digest.digest());
  }
}
