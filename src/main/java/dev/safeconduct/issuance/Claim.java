package dev.safeconduct.issuance;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import java.time.Instant;
import java.util.Optional;

/**
 * A human's right to take ownership of a passport.
 *
 * @param id {@code clm_} and 32 hex digits
 * @param org the organization that owns the passport
 * @param personal whether that organization was made for this passport; then its claimer owns it
 * @param email the human's address, the only way the link travels
 * @param displayName what the issuer calls the human; may be empty
 * @param expiresAt until when the newest link is good; a link of another moment is not
 * @param letter the outbox entry that last renewed the link
 * @param usedAt when it was claimed, for good
 */
public record Claim(
    String id,
    AgentId agent,
    OrgId org,
    boolean personal,
    EmailAddress email,
    String displayName,
    Instant createdAt,
    Instant expiresAt,
    Optional<String> letter,
    Optional<Instant> usedAt) {
  boolean isOpenAt(Instant now) {
    return usedAt.isEmpty() && now.isBefore(expiresAt);
  }
}
