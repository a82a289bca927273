package dev.safeconduct.access;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * An API key as it is kept: never the key itself.
 *
 * @param id {@code key_} and 32 hex digits
 * @param hint the key's first characters, for people to tell keys apart
 * @param boundTo the only passport it serves, for a setup key
 * @param expiresAt from when it is refused; also the end of a rotated key's grace
 * @param revokedAt when it was revoked, for good
 */
public record ApiKey(
    String id,
    OrgId org,
    String name,
    Set<Scope> scopes,
    Optional<AgentId> boundTo,
    KeyHash hash,
    String hint,
    Instant createdAt,
    Optional<Instant> expiresAt,
    Optional<Instant> revokedAt) {
  public ApiKey {
    scopes = Set.copyOf(scopes);
  }

  public boolean usableAt(Instant now) {
    return revokedAt.isEmpty() && (expiresAt.isEmpty() || now.isBefore(expiresAt.get()));
  }
}
